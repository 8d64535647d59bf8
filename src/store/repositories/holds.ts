import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Hold } from "#model/hold";
import { all, anyRow, type Db, type Queries, run, type Words } from "#store/db";
import type { HoldFilter, HoldStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";
import { afterMoment, mergedNewest, newestFirst, type Ordered, type Start, startOf } from "./windows";

type HoldTable = Tables["hold"];
type Where = (hold: HoldTable) => SQL | undefined;

/** Held calls run out after minutes: nobody waits for more, and each is a row on somebody's screen. */
const MAX_WAITING = 1_000;

/** What people are shown as a hold's state, as conditions of one kept state each. */
const inState = (state: HoldFilter["state"], now: number): readonly Where[] => {
  if (state === undefined) return [() => undefined];
  // Of these there are ever more, and they are found by when they were made; `+` keeps SQLite from sorting all of them.
  const over =
    (name: Hold["state"]): Where =>
    (hold) =>
      and(eq(hold.state, name), sql`+${hold.expires_at} <= ${now}`);
  if (state === "expired") return [over("waiting"), over("approved")];
  const runsOut = state === "waiting" || state === "approved" || state === "released";
  const kept: Where = (hold) => and(eq(hold.state, state), runsOut ? gt(hold.expires_at, now) : undefined);
  return state === "used" ? [kept, over("released")] : [kept];
};

/** Of those made in one millisecond the one stored last is the newest. */
const ordered = ({ hold }: Tables, { stored }: Words): Ordered => ({
  table: hold,
  at: hold.created_at,
  id: hold.id,
  tie: stored(hold),
});

/** The newest holds of a list. */
const newest =
  (where: Where, limit: number, start: Start | null = null) =>
  (q: Queries, t: Tables, words: Words) => {
    const order = ordered(t, words);
    return q
      .select()
      .from(t.hold)
      .where(and(where(t.hold), afterMoment(order, start)))
      .orderBy(...newestFirst(order))
      .limit(limit);
  };

/** Holds are made and used up where calls are served, so neither waits for the disk: the call's own record does. */
export class Holds implements HoldStore {
  constructor(private readonly db: Db) {}

  async create(it: Hold, record: SerialisedRecord): Promise<void> {
    await this.db.changeSoon("all", record, function* () {
      yield* run((q, { hold }) => q.insert(hold).values(it));
      return true;
    });
  }

  byId(id: string): Promise<Hold | null> {
    return this.db.one((q, { hold }) => q.select().from(hold).where(eq(hold.id, id)));
  }

  async page({ user_id, agent_id, state, now }: HoldFilter, window: PageWindow): Promise<Hold[]> {
    const whose: Where = (hold) =>
      and(
        user_id === undefined ? undefined : eq(hold.user_id, user_id),
        agent_id === undefined ? undefined : eq(hold.agent_id, agent_id),
      );
    const lists = await this.db.read(function* () {
      const start = yield* startOf(ordered, window);
      const found: Hold[][] = [];
      for (const here of inState(state, now)) {
        found.push(yield* all(newest((hold) => and(whose(hold), here(hold)), window.limit, start)));
      }
      return found;
    });
    return [...mergedNewest(lists, window.limit)];
  }

  waiting(userId: string | null, now: number): Promise<Hold[]> {
    const open: Where = (hold) => {
      const whose = userId === null ? undefined : eq(hold.user_id, userId);
      return and(eq(hold.state, "waiting"), gt(hold.expires_at, now), whose);
    };
    return this.db.all(newest(open, MAX_WAITING));
  }

  ofCall(agentId: string, callHash: string, now: number): Promise<Hold | null> {
    return this.newestOf(agentId, callHash, now);
  }

  releasedOf(agentId: string, callHash: string, now: number): Promise<Hold | null> {
    return this.newestOf(agentId, callHash, now, (hold) => eq(hold.state, "released"));
  }

  private newestOf(agentId: string, callHash: string, now: number, further?: Where): Promise<Hold | null> {
    const here: Where = (hold) =>
      and(eq(hold.agent_id, agentId), eq(hold.call_hash, callHash), gt(hold.expires_at, now), further?.(hold));
    return this.db.one(newest(here, 1));
  }

  approvedOf(agentId: string, now: number): Promise<Hold[]> {
    return this.db.all((q, { hold }) => {
      const open = and(eq(hold.state, "approved"), gt(hold.expires_at, now));
      return q
        .select()
        .from(hold)
        .where(and(eq(hold.agent_id, agentId), open));
    });
  }

  decide(
    id: string,
    decision: { readonly state: "approved" | "denied"; readonly by: string; readonly at: number },
    record: SerialisedRecord,
  ): Promise<boolean> {
    const set = { state: decision.state, decided_by: decision.by, decided_at: decision.at };
    return this.db.change("all", record, () =>
      anyRow((q, { hold }) => {
        const here = and(eq(hold.id, id), eq(hold.state, "waiting"), gt(hold.expires_at, decision.at));
        return q.update(hold).set(set).where(here).returning({ id: hold.id });
      }),
    );
  }

  use(id: string, now: number, record: SerialisedRecord): Promise<boolean> {
    return this.pass(id, ["approved", "released"], { state: "used" }, now, record);
  }

  release(id: string, now: number, until: number, record: SerialisedRecord): Promise<boolean> {
    return this.pass(id, ["approved"], { state: "released", expires_at: until }, now, record);
  }

  private pass(
    id: string,
    from: readonly Hold["state"][],
    to: Partial<Pick<Hold, "state" | "expires_at">>,
    now: number,
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.db.changeSoon("all", record, () =>
      anyRow((q, { hold }) => {
        const here = and(eq(hold.id, id), inArray(hold.state, [...from]), gt(hold.expires_at, now));
        return q.update(hold).set(to).where(here).returning({ id: hold.id });
      }),
    );
  }
}
