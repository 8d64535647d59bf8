import { asc, eq, sql } from "drizzle-orm";
import type { WatchStore } from "#store/governance-port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { agentWatch } = tables;

/** Who computes a state checks what it reads back: the store does not know its shape. */
export class SqliteWatch implements WatchStore {
  constructor(private readonly connection: Connection) {}

  async get(agentId: string): Promise<unknown> {
    const found = this.connection.queries.select({ state: agentWatch.state }).from(agentWatch);
    return found.where(eq(agentWatch.agentId, agentId)).get()?.state ?? null;
  }

  async put(agentId: string, state: unknown, at: number): Promise<void> {
    const { queries } = this.connection;
    await this.connection.writeSoon<void>(() => {
      const set = { state, updatedAt: at };
      const insert = queries.insert(agentWatch).values({ agentId, ...set });
      // One that waited for the lock must not overwrite a later one.
      const setWhere = sql`${agentWatch.updatedAt} <= ${at}`;
      insert.onConflictDoUpdate({ target: agentWatch.agentId, set, setWhere }).run();
    });
  }

  async all(): Promise<{ agent_id: string; state: unknown }[]> {
    const columns = { agent_id: agentWatch.agentId, state: agentWatch.state };
    return this.connection.queries.select(columns).from(agentWatch).orderBy(asc(agentWatch.agentId)).all();
  }
}
