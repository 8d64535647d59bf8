import { asc, eq } from "drizzle-orm";
import type { Added, ProviderPatch, ProviderRow, ProviderStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { counted } from "./counted";
import { strings } from "./json-columns";
import { tables } from "./schema";

const { provider } = tables;

export class SqliteProviders implements ProviderStore {
  constructor(private readonly connection: Connection) {}

  async add(it: ProviderRow, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<Added> {
    const { queries } = this.connection;
    let outcome: Added = "done";
    this.connection.change("providers", record, (changed) => {
      const row = { ...rowOf(it), changed };
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
          .set({ ...rowOf(after), changed })
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
      .select()
      .from(provider)
      .orderBy(...order)
      .all()
      .map(fromRow);
  }
}

const rowOf = (it: ProviderRow) => ({
  id: it.id,
  name: it.name,
  baseUrl: it.base_url,
  models: it.models,
  sealedKey: it.sealed_key,
  priority: it.priority,
  createdAt: it.created_at,
  givenBy: it.given_by,
});

const fromRow = (row: typeof provider.$inferSelect): ProviderRow => ({
  id: row.id,
  name: row.name,
  base_url: row.baseUrl,
  models: strings(row.models, `models of provider ${row.name}`),
  sealed_key: row.sealedKey,
  priority: row.priority,
  created_at: row.createdAt,
  given_by: row.givenBy,
});
