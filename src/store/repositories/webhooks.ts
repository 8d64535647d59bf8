import { and, asc, desc, eq, inArray, lt } from "drizzle-orm";
import { Type } from "#core/schema";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import { all, anyRow, type Db, one, type Queries, run } from "#store/db";
import type { Job, WebhookStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape, strings } from "#store/stored";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";
import type { Jobs } from "./jobs";
import { counted } from "./windows";

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

const webhookOf =
  (id: string) =>
  (q: Queries, { webhook }: Tables) =>
    q.select().from(webhook).where(eq(webhook.id, id));

export class Webhooks implements WebhookStore {
  readonly #reader = new DeliveryReader();

  constructor(
    private readonly db: Db,
    private readonly jobs: Jobs,
  ) {}

  create(it: Webhook, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.db.change("all", record, function* () {
      if ((yield* counted(({ webhook }) => [webhook])) >= most) return false;
      yield* run((q, { webhook }) => q.insert(webhook).values(it));
      return true;
    });
  }

  async list(): Promise<Webhook[]> {
    const rows = await this.db.all((q, { webhook }) =>
      q.select().from(webhook).orderBy(asc(webhook.created_at), asc(webhook.id)),
    );
    return rows.map(checked);
  }

  async byId(id: string): Promise<Webhook | null> {
    const row = await this.db.one(webhookOf(id));
    return row && checked(row);
  }

  update(id: string, patch: Parameters<WebhookStore["update"]>[1], record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, function* () {
      const row = yield* one(webhookOf(id));
      if (row === null) return false;
      const { id: _id, created_at: _made, ...set } = { ...checked(row), ...patch };
      yield* run((q, { webhook }) => q.update(webhook).set(set).where(eq(webhook.id, id)));
      return true;
    });
  }

  remove(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { webhook }) => q.delete(webhook).where(eq(webhook.id, id)).returning({ id: webhook.id })),
    );
  }

  async queue(delivery: WebhookDelivery, job: Job, once?: "once"): Promise<void> {
    const { webhook_id, event_id } = delivery;
    const { jobs } = this;
    const same = (q: Queries, { webhookDelivery: it }: Tables) =>
      q
        .select({ id: it.id })
        .from(it)
        .where(and(eq(it.webhook_id, webhook_id), eq(it.event_id, event_id)))
        .limit(1);
    await this.db.tx(function* () {
      if (!(yield* anyRow(webhookOf(webhook_id)))) return;
      if (once && (yield* anyRow(same))) return;
      yield* run((q, { webhookDelivery }) => q.insert(webhookDelivery).values(delivery));
      yield* jobs.put(job);
    });
  }

  async delivery(id: string): Promise<WebhookDelivery | null> {
    const row = await this.db.one((q, { webhookDelivery: it }) => q.select().from(it).where(eq(it.id, id)));
    return row && this.#reader.checked(row);
  }

  async saveDelivery(delivery: WebhookDelivery): Promise<void> {
    const { id, webhook_id: _webhook, created_at: _made, ...set } = delivery;
    await this.db.tx(() => run((q, { webhookDelivery: it }) => q.update(it).set(set).where(eq(it.id, id))));
  }

  async deliveries(webhookId: string, most: number): Promise<WebhookDelivery[]> {
    const rows = await this.db.all((q, { webhookDelivery: it }) =>
      q.select().from(it).where(eq(it.webhook_id, webhookId)).orderBy(desc(it.created_at), desc(it.id)).limit(most),
    );
    return rows.map((row) => this.#reader.checked(row));
  }

  dropDeliveries(before: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { webhookDelivery: it }) => {
        const some = q.select({ id: it.id }).from(it).where(lt(it.created_at, before)).limit(atMost);
        return q.delete(it).where(inArray(it.id, some)).returning({ id: it.id });
      });
      return gone.length;
    });
  }
}
