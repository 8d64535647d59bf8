import { asc, eq, isNotNull, sql } from "drizzle-orm";
import { type Db, run } from "#store/db";
import type { WatchRow, WatchStore } from "#store/governance-port";

/** More agents than there are. */
const EVERY = 1_000_000;

/** Who computes a state checks what it reads back: the store does not know its shape. */
export class Watch implements WatchStore {
  constructor(private readonly db: Db) {}

  async get(agentId: string): Promise<unknown> {
    const row = await this.db.one((q, { agentWatch: it }) =>
      q.select({ state: it.state }).from(it).where(eq(it.agent_id, agentId)),
    );
    return row?.state ?? null;
  }

  async put(states: readonly WatchRow[]): Promise<void> {
    if (states.length === 0) return;
    // In one order everywhere: two processes that keep the same ones do not wait for each other.
    const sorted = states.toSorted((one, other) => (one.agent_id < other.agent_id ? -1 : 1));
    await this.db.tx(function* () {
      for (const { agent_id, at, ...rest } of sorted) {
        const set = { ...rest, updated_at: at };
        yield* run((q, { agentWatch: it }) => {
          // One that waited for the lock must not overwrite a later one.
          const setWhere = sql`${it.updated_at} <= ${at}`;
          const insert = q.insert(it).values({ agent_id, ...set });
          return insert.onConflictDoUpdate({ target: it.agent_id, set, setWhere });
        });
      }
    });
  }

  async bands(): Promise<{ agent_id: string; band: string }[]> {
    const rows = await this.db.all((q, { agentWatch: it }) =>
      q.select({ agent_id: it.agent_id, band: it.band }).from(it).where(isNotNull(it.band)),
    );
    return rows.flatMap(({ agent_id, band }) => (band === null ? [] : [{ agent_id, band }]));
  }

  drifting(most = EVERY): Promise<{ agent_id: string; state: unknown }[]> {
    return this.db.all((q, { agentWatch: it }) =>
      q
        .select({ agent_id: it.agent_id, state: it.state })
        .from(it)
        .where(eq(it.drift_status, "drifting"))
        .orderBy(asc(it.agent_id))
        .limit(most),
    );
  }
}
