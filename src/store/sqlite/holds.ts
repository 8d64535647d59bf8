import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Hold } from "#model/hold";
import type { HoldFilter, HoldStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Connection } from "./connection";
import { tables } from "./schema";
import { afterMoment, mergedNewest, newestFirst } from "./windows";

const { hold } = tables;

/** Held calls run out after minutes: nobody waits for more, and each is a row on somebody's screen. */
const MAX_WAITING = 1_000;

/** What people are shown as a hold's state, as conditions of one kept state each. */
const inState = (state: HoldFilter["state"], now: number): readonly (SQL | undefined)[] => {
  if (state === undefined) return [undefined];
  const kept = (name: Hold["state"]): SQL => eq(hold.state, name);
  // Of these there are ever more, and they are found by when they were made; `+` keeps SQLite from sorting all of them.
  const over = sql`+${hold.expires_at} <= ${now}`;
  if (state === "expired") return [and(kept("waiting"), over), and(kept("approved"), over)];
  const runsOut = state === "waiting" || state === "approved";
  return [runsOut ? and(kept(state), gt(hold.expires_at, now)) : kept(state)];
};

/** Of those made in one millisecond the one stored last is the newest. */
const ORDERED = { table: hold, at: hold.created_at, id: hold.id, tie: sql`${hold}.rowid` };

/** Holds are made and used up where calls are served, so neither waits for the disk: the call's own record does. */
export class SqliteHolds implements HoldStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Hold, record: SerialisedRecord): Promise<void> {
    this.connection.changeSoon("all", record, () => {
      this.connection.queries.insert(hold).values(it).run();
      return true;
    });
  }

  async byId(id: string): Promise<Hold | null> {
    return this.connection.queries.select().from(hold).where(eq(hold.id, id)).get() ?? null;
  }

  async page({ user_id, agent_id, state, now }: HoldFilter, window: PageWindow): Promise<Hold[]> {
    const whose = and(
      user_id === undefined ? undefined : eq(hold.user_id, user_id),
      agent_id === undefined ? undefined : eq(hold.agent_id, agent_id),
      afterMoment(this.connection, ORDERED, window),
    );
    const found = inState(state, now).map((here) => this.#newest(and(whose, here), window.limit));
    return [...mergedNewest(found, window.limit)];
  }

  async waiting(userId: string | null, now: number): Promise<Hold[]> {
    const whose = userId === null ? undefined : eq(hold.user_id, userId);
    const open = and(eq(hold.state, "waiting"), gt(hold.expires_at, now));
    return this.#newest(and(open, whose), MAX_WAITING);
  }

  #newest(here: SQL | undefined, limit: number): Hold[] {
    const found = this.connection.queries.select().from(hold).where(here);
    return found
      .orderBy(...newestFirst(ORDERED))
      .limit(limit)
      .all();
  }

  async ofCall(agentId: string, callHash: string, now: number): Promise<Hold | null> {
    const here = and(eq(hold.agent_id, agentId), eq(hold.call_hash, callHash), gt(hold.expires_at, now));
    const found = this.connection.queries.select().from(hold).where(here);
    return (
      found
        .orderBy(...newestFirst(ORDERED))
        .limit(1)
        .get() ?? null
    );
  }

  async approvedOf(agentId: string, now: number): Promise<Hold[]> {
    const open = and(eq(hold.state, "approved"), gt(hold.expires_at, now));
    const here = and(eq(hold.agent_id, agentId), open);
    return this.connection.queries.select().from(hold).where(here).all();
  }

  async decide(
    id: string,
    decision: { readonly state: "approved" | "denied"; readonly by: string; readonly at: number },
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const here = and(eq(hold.id, id), eq(hold.state, "waiting"), gt(hold.expires_at, decision.at));
      const set = { state: decision.state, decided_by: decision.by, decided_at: decision.at };
      const update = this.connection.queries.update(hold).set(set).where(here);
      return update.returning({ id: hold.id }).all().length === 1;
    });
  }

  async use(id: string, now: number, record: SerialisedRecord): Promise<boolean> {
    return this.connection.changeSoon("all", record, () => {
      const here = and(eq(hold.id, id), eq(hold.state, "approved"), gt(hold.expires_at, now));
      const update = this.connection.queries.update(hold).set({ state: "used" }).where(here);
      return update.returning({ id: hold.id }).all().length === 1;
    });
  }
}
