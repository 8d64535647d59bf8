import { and, asc, eq, gt, gte, inArray, lt, lte, ne, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import { all, anyRow, type Db, moment, one, type Queries, run, type Steps } from "#store/db";
import type { BlockedCaller, Pace, SharedStore, Tries } from "#store/shared-port";
import type { Tables } from "#store/tables";
import { Ceiling } from "./ceiling";

/** Rows that strangers can make there be, of each kind. Beyond it those that were counted longest ago go. */
const MOST = 50_000;
/** Rows that are swept out with one that is added. */
const SWEPT = 20;
/** Agents whose automatic restrictions are counted for; those that were silent longest are forgotten first. */
const MAX_WATCHED = 4_000;
/** What is counted of an agent goes back a day of windows at most. */
const WATCHED_MS = 90_000_000;

export class Shared implements SharedStore {
  readonly #used = new Ceiling(({ usedOnce }) => usedOnce, MOST);
  readonly #tries = new Ceiling(({ signInTries }) => signInTries, MOST);
  readonly #watched = new Ceiling(({ triggerCount }) => triggerCount, MAX_WATCHED);

  constructor(private readonly db: Db) {}

  useOnce(scope: string, key: string, until: number): Promise<boolean> {
    const ceiling = this.#used;
    return this.db.tx(function* (): Steps<boolean> {
      const now = yield* moment();
      yield* run((q, { usedOnce: it }) => {
        const over = q.select({ until: it.until }).from(it).where(lte(it.until, now)).limit(SWEPT);
        return q.delete(it).where(inArray(it.until, over));
      });
      if (yield* ceiling.isPassed()) {
        yield* run((q, { usedOnce: it }) => {
          const soonest = q.select({ until: it.until }).from(it).orderBy(asc(it.until)).limit(ceiling.excess);
          return q.delete(it).where(inArray(it.until, soonest));
        });
      }
      return yield* anyRow((q, { usedOnce: it }) => {
        const target = [it.scope, it.key];
        const again = { target, set: { until }, setWhere: lte(it.until, now) };
        return q.insert(it).values({ scope, key, until }).onConflictDoUpdate(again).returning({ key: it.key });
      });
    });
  }

  step(scope: string, paces: readonly Pace[], windowMs: number): Promise<number> {
    const step = function* (): Steps<number> {
      const now = yield* moment();
      // Windows begin at the same moments in every process.
      const began = now - (now % windowMs);
      yield* run((q, { pace: it }) => q.delete(it).where(and(eq(it.scope, scope), ne(it.began, began))));
      for (const { key, most } of paces) {
        const full = (q: Queries, { pace: it }: Tables) =>
          q
            .select({ key: it.key })
            .from(it)
            .where(and(eq(it.scope, scope), eq(it.key, key), gte(it.count, most)));
        if (yield* anyRow(full)) return began + windowMs - now;
      }
      for (const { key } of paces) {
        yield* run((q, { pace: it }) => {
          const again = { target: [it.scope, it.key], set: { count: sql`${it.count} + 1` } };
          return q.insert(it).values({ scope, key, began, count: 1 }).onConflictDoUpdate(again);
        });
      }
      return 0;
    };
    return this.db.tx(step, `pace ${scope}`);
  }

  async changeTries(
    keys: readonly string[],
    forgottenAfterMs: number,
    work: (known: readonly (Tries | null)[], now: number) => readonly (Tries | null)[] | null,
  ): Promise<void> {
    const hashed = keys.map(sha256Hex);
    const ceiling = this.#tries;
    const change = function* (): Steps<void> {
      const now = yield* moment();
      const forgottenBefore = now - forgottenAfterMs;
      const known = yield* triesOf(hashed, forgottenBefore);
      const next = work(known, now);
      if (next === null) return;
      for (const [at, key] of hashed.entries()) yield* putTries(key, next[at] ?? null);
      yield* forgetTries(ceiling, forgottenBefore);
    };
    await this.db.tx(change, "sign-in tries");
  }

  tally(name: string, more: number, everyMs: number): Promise<{ readonly taken: number; readonly left: number }> {
    const change = function* (): Steps<{ readonly taken: number; readonly left: number }> {
      const now = yield* moment();
      const known = yield* one((q, { tally: it }) => q.select().from(it).where(eq(it.name, name)));
      const count = (known?.count ?? 0) + more;
      // A clock that was set back does not keep it waiting.
      const since = now - (known?.at ?? 0);
      const isDue = since >= everyMs || since < 0;
      const set = { count: isDue ? 0 : count, at: isDue ? now : (known?.at ?? now) };
      yield* run((q, { tally: it }) =>
        q
          .insert(it)
          .values({ name, ...set })
          .onConflictDoUpdate({ target: it.name, set }),
      );
      return isDue ? { taken: count, left: 0 } : { taken: 0, left: count };
    };
    return this.db.tx(change, `tally ${name}`);
  }

  async changeTriggers(
    agentIds: readonly string[],
    work: (states: ReadonlyMap<string, unknown>, now: number) => ReadonlyMap<string, unknown>,
  ): Promise<void> {
    const ceiling = this.#watched;
    const change = function* (): Steps<void> {
      const at = yield* moment();
      const known = yield* all((q, { triggerCount: it }, { among }) =>
        q.select().from(it).where(among(it.agent_id, agentIds)),
      );
      const next = work(new Map(known.map(({ agent_id, state }) => [agent_id, state])), at);
      const rows = [...next].map(([agent_id, state]) => ({ agent_id, state, at }));
      if (rows.length === 0) return;
      yield* run((q, { triggerCount: it }) => {
        const set = { state: sql`excluded.state`, at: sql`excluded.at` };
        return q.insert(it).values(rows).onConflictDoUpdate({ target: it.agent_id, set });
      });
      yield* run((q, { triggerCount: it }) => {
        const old = q
          .select({ id: it.agent_id })
          .from(it)
          .where(lt(it.at, at - WATCHED_MS))
          .limit(SWEPT);
        return q.delete(it).where(inArray(it.agent_id, old));
      });
      if (!(yield* ceiling.isPassed())) return;
      yield* run((q, { triggerCount: it }) => {
        const silent = q.select({ id: it.agent_id }).from(it).orderBy(asc(it.at)).limit(ceiling.excess);
        return q.delete(it).where(inArray(it.agent_id, silent));
      });
    };
    // One at a time, and not by agent: some agents are changed together, in any order.
    await this.db.tx(change, "triggers");
  }

  async noteBlocked(callers: readonly BlockedCaller[]): Promise<void> {
    if (callers.length === 0) return;
    await this.db.tx(() =>
      run((q, { blockedCaller: it }) =>
        q
          .insert(it)
          .values([...callers])
          .onConflictDoNothing(),
      ),
    );
  }

  blockedCallers(): Promise<BlockedCaller[]> {
    return this.db.all((q, { blockedCaller: it }) => q.select().from(it).orderBy(asc(it.event_id)));
  }

  async forgetBlocked({ subject_id, event_id }: BlockedCaller): Promise<void> {
    const here = ({ blockedCaller: it }: Tables) => and(eq(it.subject_id, subject_id), eq(it.event_id, event_id));
    await this.db.tx(() => run((q, t) => q.delete(t.blockedCaller).where(here(t))));
  }
}

function* triesOf(keys: readonly string[], forgottenBefore: number): Steps<(Tries | null)[]> {
  const found = yield* all((q, { signInTries: it }, { among }) =>
    q
      .select()
      .from(it)
      .where(and(among(it.key, keys), gt(it.at, forgottenBefore))),
  );
  const known = new Map(found.map(({ key, count, at, open_at }) => [key, { count, at, openAt: open_at }]));
  return keys.map((key) => known.get(key) ?? null);
}

function* putTries(key: string, tries: Tries | null): Steps<void> {
  if (tries === null) {
    yield* run((q, { signInTries: it }) => q.delete(it).where(eq(it.key, key)));
    return;
  }
  const set = { count: tries.count, at: tries.at, open_at: tries.openAt };
  yield* run((q, { signInTries: it }) =>
    q
      .insert(it)
      .values({ key, ...set })
      .onConflictDoUpdate({ target: it.key, set }),
  );
}

function* forgetTries(ceiling: Ceiling, before: number): Steps<void> {
  yield* run((q, { signInTries: it }) => {
    const old = q.select({ key: it.key }).from(it).where(lt(it.at, before)).limit(SWEPT);
    return q.delete(it).where(inArray(it.key, old));
  });
  if (!(yield* ceiling.isPassed())) return;
  // Names somebody makes up by the thousand push out none that has to wait.
  yield* run((q, { signInTries: it }) => {
    const oldest = q
      .select({ key: it.key })
      .from(it)
      .where(eq(it.open_at, 0))
      .orderBy(asc(it.at))
      .limit(ceiling.excess);
    return q.delete(it).where(inArray(it.key, oldest));
  });
}
