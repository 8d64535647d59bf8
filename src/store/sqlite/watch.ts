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
    return found.where(eq(agentWatch.agentId, agentId)).get()?.state ?? null;
  }

  async put(states: readonly WatchRow[]): Promise<void> {
    if (states.length === 0) return;
    const { queries } = this.connection;
    await this.connection.writeSoon<void>(() => {
      for (const { agent_id: agentId, state, at, band, drift_status: driftStatus } of states) {
        const set = { state, updatedAt: at, band, driftStatus };
        const insert = queries.insert(agentWatch).values({ agentId, ...set });
        // One that waited for the lock must not overwrite a later one.
        const setWhere = sql`${agentWatch.updatedAt} <= ${at}`;
        insert.onConflictDoUpdate({ target: agentWatch.agentId, set, setWhere }).run();
      }
    });
  }

  async bands(): Promise<{ agent_id: string; band: string }[]> {
    const found = this.connection.queries.select({ agent_id: agentWatch.agentId, band: agentWatch.band });
    const rows = found.from(agentWatch).where(isNotNull(agentWatch.band)).all();
    return rows.flatMap(({ agent_id, band }) => (band === null ? [] : [{ agent_id, band }]));
  }

  async drifting(): Promise<{ agent_id: string; state: unknown }[]> {
    const columns = { agent_id: agentWatch.agentId, state: agentWatch.state };
    const found = this.connection.queries.select(columns).from(agentWatch);
    return found.where(eq(agentWatch.driftStatus, "drifting")).orderBy(asc(agentWatch.agentId)).all();
  }
}
