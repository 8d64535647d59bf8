import { and, asc, desc, eq, getTableColumns, gte } from "drizzle-orm";
import { type BreakerReading, ProviderSaid } from "#model/provider";
import type { Added, NotedBreaker, ProviderPatch, ProviderRow, ProviderStore, SerialisedRecord } from "#store/port";
import { StoredShape } from "./columns";
import { type Connection, counted, PROCESS_SILENCE_MS } from "./connection";
import { tables } from "./schema";

const { provider, providerBreaker, hubProcess } = tables;
const { changed: _changed, ...columns } = getTableColumns(provider);

export class SqliteProviders implements ProviderStore {
  readonly #said = new StoredShape(ProviderSaid);

  constructor(
    private readonly connection: Connection,
    private readonly now: () => number,
  ) {}

  async add(it: ProviderRow, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<Added> {
    const { queries } = this.connection;
    let outcome: Added = "done";
    this.connection.change("providers", record, (changed) => {
      const row = { ...it, changed };
      const insert = queries.insert(provider).values(row).onConflictDoNothing({ target: provider.name });
      if (counted(queries, provider) >= most) outcome = "full";
      else if (insert.returning({ id: provider.id }).all().length === 0) outcome = "taken";
      return outcome === "done";
    });
    return outcome;
  }

  async list(): Promise<ProviderRow[]> {
    return this.all();
  }

  async update(id: string, patch: ProviderPatch, record: SerialisedRecord): Promise<"done" | "missing" | "taken"> {
    const { queries } = this.connection;
    let outcome: "done" | "missing" | "taken" = "done";
    this.connection.change("providers", record, (changed) => {
      const rows = this.all();
      const before = rows.find((row) => row.id === id);
      const after = before && { ...before, ...patch };
      if (!after) outcome = "missing";
      else if (rows.some((row) => row.id !== id && row.name === after.name)) outcome = "taken";
      else
        queries
          .update(provider)
          .set({ ...after, changed })
          .where(eq(provider.id, id))
          .run();
      return outcome === "done";
    });
    return outcome;
  }

  async remove(name: string, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("providers", record, () => {
      const removal = this.connection.queries.delete(provider).where(eq(provider.name, name));
      return removal.returning({ id: provider.id }).all().length === 1;
    });
  }

  all(): ProviderRow[] {
    const order = [asc(provider.priority), asc(provider.name)];
    return this.connection.queries
      .select(columns)
      .from(provider)
      .orderBy(...order)
      .all()
      .map((row) => this.checked(row));
  }

  async noteBreaker(process_id: string, provider_id: string, reading: BreakerReading): Promise<void> {
    const { queries } = this.connection;
    const { state, cause, failures, since } = reading;
    await this.connection.writeSoon<void>(() => {
      const one = and(eq(providerBreaker.process_id, process_id), eq(providerBreaker.provider_id, provider_id));
      queries.delete(providerBreaker).where(one).run();
      if (state === "closed" || cause === null || since === null) return;
      queries.insert(providerBreaker).values({ process_id, provider_id, state, cause, failures, since }).run();
    });
  }

  async breakers(): Promise<NotedBreaker[]> {
    const { process_id: _process, ...shown } = getTableColumns(providerBreaker);
    return this.connection.queries
      .select(shown)
      .from(providerBreaker)
      .innerJoin(hubProcess, eq(hubProcess.id, providerBreaker.process_id))
      .where(gte(hubProcess.heard_at, this.now() - PROCESS_SILENCE_MS))
      .orderBy(desc(providerBreaker.since))
      .all();
  }

  private checked({ models, apis, aliases, credential, ...row }: Raw): ProviderRow {
    return { ...row, ...this.#said.read({ models, apis, aliases, credential }, `provider ${row.name}`) };
  }
}

type Json = "models" | "apis" | "aliases" | "credential";
type Raw = Omit<ProviderRow, Json> & Readonly<Record<Json, unknown>>;
