import { desc } from "drizzle-orm";
import type { PolicyRow, PolicyStore, SerialisedRecord } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { policy } = tables;

const columns = { revision: policy.revision, source: policy.source, created_at: policy.createdAt };

export class SqlitePolicies implements PolicyStore {
  constructor(private readonly connection: Connection) {}

  async latest(): Promise<PolicyRow | null> {
    return this.newest();
  }

  async append(
    expected: number,
    source: string,
    createdAt: number,
    record: SerialisedRecord,
  ): Promise<PolicyRow | null> {
    const row = { revision: expected + 1, source, created_at: createdAt };
    const appended = this.connection.change("policies", record, () => {
      if ((this.newest()?.revision ?? 0) !== expected) return false;
      this.put(row);
      return true;
    });
    return appended ? row : null;
  }

  /** Within a change of `policies`. */
  put({ created_at: createdAt, ...row }: PolicyRow): void {
    this.connection.queries
      .insert(policy)
      .values({ ...row, createdAt })
      .run();
  }

  newest(): PolicyRow | null {
    return this.connection.queries.select(columns).from(policy).orderBy(desc(policy.revision)).limit(1).get() ?? null;
  }
}
