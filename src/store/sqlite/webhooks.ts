import { and, asc, desc, eq, inArray, lt } from "drizzle-orm";
import { Type } from "#core/schema";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import type { Job, WebhookStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { inBatches } from "./batches";
import { StoredShape, strings } from "./columns";
import { type Connection, counted } from "./connection";
import type { SqliteJobs } from "./jobs";
import { tables } from "./schema";

const { webhook, webhookDelivery } = tables;

type Raw = Omit<Webhook, "events" | "sealed_secrets"> & { readonly events: unknown; readonly sealed_secrets: unknown };

const checked = ({ events, sealed_secrets: secrets, ...row }: Raw): Webhook => ({
  ...row,
  events: strings(events, `events of webhook ${row.id}`),
  sealed_secrets: strings(secrets, `secrets of webhook ${row.id}`),
});

const AttemptList = Type.Array(
  Type.Object({
    at: Type.Integer(),
    status: Type.Union([Type.Integer(), Type.Null()]),
    error: Type.Union([Type.String(), Type.Null()]),
    ms: Type.Number(),
  }),
);

class DeliveryReader {
  readonly #attempts = new StoredShape(AttemptList);

  checked({ attempts, ...row }: Omit<WebhookDelivery, "attempts"> & { readonly attempts: unknown }): WebhookDelivery {
    return { ...row, attempts: this.#attempts.read(attempts, `attempts of delivery ${row.id}`) };
  }
}

export class SqliteWebhooks implements WebhookStore {
  readonly #reader = new DeliveryReader();

  constructor(
    private readonly connection: Connection,
    private readonly jobs: SqliteJobs,
  ) {}

  async create(it: Webhook, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.connection.change("all", record, () => {
      if (counted(this.connection.queries, webhook) >= most) return false;
      this.connection.queries.insert(webhook).values(it).run();
      return true;
    });
  }

  async list(): Promise<Webhook[]> {
    const found = this.connection.queries.select().from(webhook);
    return found.orderBy(asc(webhook.created_at), asc(webhook.id)).all().map(checked);
  }

  async byId(id: string): Promise<Webhook | null> {
    return this.#byId(id);
  }

  async update(id: string, patch: Parameters<WebhookStore["update"]>[1], record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const known = this.#byId(id);
      if (known === null) return false;
      const { id: _id, created_at: _made, ...set } = { ...known, ...patch };
      this.connection.queries.update(webhook).set(set).where(eq(webhook.id, id)).run();
      return true;
    });
  }

  async remove(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const removal = this.connection.queries.delete(webhook).where(eq(webhook.id, id));
      return removal.returning({ id: webhook.id }).all().length === 1;
    });
  }

  async queue(delivery: WebhookDelivery, job: Job, once?: "once"): Promise<void> {
    const { webhook_id, event_id } = delivery;
    const same = and(eq(webhookDelivery.webhook_id, webhook_id), eq(webhookDelivery.event_id, event_id));
    await this.connection.writeSoon<void>(() => {
      if (this.#byId(webhook_id) === null) return;
      if (once && counted(this.connection.queries, webhookDelivery, same) > 0) return;
      this.connection.queries.insert(webhookDelivery).values(delivery).run();
      this.jobs.put(job);
    });
  }

  async delivery(id: string): Promise<WebhookDelivery | null> {
    const found = this.connection.queries.select().from(webhookDelivery);
    const row = found.where(eq(webhookDelivery.id, id)).get();
    return row === undefined ? null : this.#reader.checked(row);
  }

  async saveDelivery(it: WebhookDelivery): Promise<void> {
    const { id, webhook_id: _webhook, created_at: _made, ...set } = it;
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.update(webhookDelivery).set(set).where(eq(webhookDelivery.id, id)).run();
    });
  }

  async deliveries(webhookId: string, most: number): Promise<WebhookDelivery[]> {
    const found = this.connection.queries.select().from(webhookDelivery);
    const newest = [desc(webhookDelivery.created_at), desc(webhookDelivery.id)];
    const rows = found
      .where(eq(webhookDelivery.webhook_id, webhookId))
      .orderBy(...newest)
      .limit(most)
      .all();
    return rows.map((row) => this.#reader.checked(row));
  }

  async dropDeliveries(before: number): Promise<number> {
    const { queries } = this.connection;
    const { id, created_at } = webhookDelivery;
    return inBatches(this.connection, (atMost) => {
      const some = queries.select({ id }).from(webhookDelivery).where(lt(created_at, before)).limit(atMost);
      return queries.delete(webhookDelivery).where(inArray(id, some)).returning({ id }).all().length;
    });
  }

  #byId(id: string): Webhook | null {
    const row = this.connection.queries.select().from(webhook).where(eq(webhook.id, id)).get();
    return row === undefined ? null : checked(row);
  }
}
