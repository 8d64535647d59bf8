import { asc, eq } from "drizzle-orm";
import type { ProviderRow, ProviderStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { strings } from "./json-columns";
import { tables } from "./schema";

const { provider } = tables;

export class SqliteProviders implements ProviderStore {
  constructor(private readonly connection: Connection) {}

  async add(it: ProviderRow, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("providers", record, (changed) => {
      const row = {
        id: it.id,
        name: it.name,
        baseUrl: it.base_url,
        models: it.models,
        sealedKey: it.sealed_key,
        priority: it.priority,
        createdAt: it.created_at,
        changed,
      };
      const insert = this.connection.queries.insert(provider).values(row);
      return insert.onConflictDoNothing({ target: provider.name }).returning({ id: provider.id }).all().length === 1;
    });
  }

  async list(): Promise<ProviderRow[]> {
    return this.all();
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

const fromRow = (row: typeof provider.$inferSelect): ProviderRow => ({
  id: row.id,
  name: row.name,
  base_url: row.baseUrl,
  models: strings(row.models, `models of provider ${row.name}`),
  sealed_key: row.sealedKey,
  priority: row.priority,
  created_at: row.createdAt,
});
