import { asc, eq, isNotNull, sql } from "drizzle-orm";
import type { WatchRow, WatchStore } from "#store/governance-port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { agentWatch } = tables;

/** Who computes a state checks what it reads back: the store does not know its shape. */
export class SqliteWatch implements WatchStore {
  constructor(private readonly connection: Connection) {}

  async get(agentId: string): Promise<unknown> {
    const found = this.connection.queries.select({ state: agentWatch.state }).from(agentWatch);
    return found.where(eq(agentWatch.agent_id, agentId)).get()?.state ?? null;
  }

  async put(states: readonly WatchRow[]): Promise<void> {
    if (states.length === 0) return;
    const { queries } = this.connection;
    await this.connection.writeSoon<void>(() => {
      for (const { agent_id, at, ...rest } of states) {
        const set = { ...rest, updated_at: at };
        const insert = queries.insert(agentWatch).values({ agent_id, ...set });
        // One that waited for the lock must not overwrite a later one.
        const setWhere = sql`${agentWatch.updated_at} <= ${at}`;
        insert.onConflictDoUpdate({ target: agentWatch.agent_id, set, setWhere }).run();
      }
    });
  }

  async bands(): Promise<{ agent_id: string; band: string }[]> {
    const found = this.connection.queries.select({ agent_id: agentWatch.agent_id, band: agentWatch.band });
    const rows = found.from(agentWatch).where(isNotNull(agentWatch.band)).all();
    return rows.flatMap(({ agent_id, band }) => (band === null ? [] : [{ agent_id, band }]));
  }

  async drifting(): Promise<{ agent_id: string; state: unknown }[]> {
    const columns = { agent_id: agentWatch.agent_id, state: agentWatch.state };
    const found = this.connection.queries.select(columns).from(agentWatch);
    return found.where(eq(agentWatch.drift_status, "drifting")).orderBy(asc(agentWatch.agent_id)).all();
  }
}
