import { and, eq, exists, gte, lt, lte, min, ne, not, notInArray, or, sql } from "drizzle-orm";
import { type Db, keptQuery, moment, one, type Queries, run, type Steps, together } from "#store/db";
import type { Polled } from "#store/polled";
import { type ChangeFeed, type FeedChanges, PROCESS_SILENCE_MS } from "#store/port";
import type { ChangeSubject, Tables } from "#store/tables";
import type { Agents } from "./agents";
import type { Budgets } from "./budgets";
import type { HookSources } from "./hook-sources";
import type { KillSwitches } from "./kill-switches";
import type { Policies } from "./policies";
import type { PriceRows } from "./prices";
import type { Profiles } from "./profiles";
import type { Providers } from "./providers";
import type { Restrictions } from "./restrictions";
import type { Sessions } from "./sessions";
import type { Tokens } from "./tokens";
import type { ToolServers } from "./tool-servers";
import type { Tuning } from "./tuning";
import type { Users } from "./users";

/** Of a row of the change feed: whether nobody needs to wait for the process any more. */
const ofDeadNode = (q: Queries, { node, hubProcess }: Tables, now: number) => {
  const its = sql`${node.id} || '/' || ${node.epoch} = ${hubProcess.id}`;
  const isOver = or(ne(node.state, "live"), lte(node.until, now));
  return exists(q.select({ id: node.id }).from(node).where(and(its, isOver)));
};

const FORGOTTEN_AFTER_MS = 3_600_000;

/** The repositories whose changes serving processes follow. */
export type Followed = {
  readonly users: Users;
  readonly agents: Agents;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly providers: Providers;
  readonly tools: ToolServers;
  readonly profiles: Profiles;
  readonly restrictions: Restrictions;
  readonly killSwitches: KillSwitches;
  readonly tuning: Tuning;
  readonly policies: Policies;
  readonly prices: PriceRows;
  readonly budgets: Budgets;
  readonly hookSources: HookSources;
};

type ChangesNeeds = { readonly db: Db; readonly followed: Followed; readonly polled: Polled | null };

export class Changes implements ChangeFeed {
  readonly #current = keptQuery((q, { revision: it }) =>
    q
      .select({ value: it.value })
      .from(it)
      .where(eq(it.subject, sql.placeholder("subject"))),
  );

  constructor(private readonly deps: ChangesNeeds) {}

  async revision(): Promise<number> {
    const { polled } = this.deps;
    if (polled !== null) return (await polled.ask()).revision;
    return (await this.deps.db.one(this.#current, { subject: "all" }))?.value ?? 0;
  }

  changesSince(since: number): Promise<FeedChanges> {
    return this.deps.db.read(() => this.#since(since));
  }

  async acknowledge(processId: string, seen: number): Promise<boolean> {
    return this.deps.db.attempt(function* () {
      const heard_at = yield* moment();
      const row = { id: processId, seen, heard_at };
      yield* run((q, { hubProcess: it }) =>
        q.insert(it).values(row).onConflictDoUpdate({ target: it.id, set: { seen, heard_at } }),
      );
    });
  }

  acknowledged(): Promise<number | null> {
    return this.deps.db.read(function* () {
      const now = yield* moment();
      const lowest = yield* one((q, t) => {
        const { hubProcess: it } = t;
        const alive = and(gte(it.heard_at, now - PROCESS_SILENCE_MS), not(ofDeadNode(q, t, now)));
        return q
          .select({ seen: min(it.seen) })
          .from(it)
          .where(alive);
      });
      return lowest?.seen ?? null;
    });
  }

  async forget(processId: string): Promise<void> {
    await this.deps.db.tx(function* () {
      const longGone = (yield* moment()) - FORGOTTEN_AFTER_MS;
      yield* run((q, { hubProcess: it }) => q.delete(it).where(or(eq(it.id, processId), lt(it.heard_at, longGone))));
      yield* run((q, { hubProcess, providerBreaker: it }) => {
        const left = q.select({ id: hubProcess.id }).from(hubProcess);
        return q.delete(it).where(notInArray(it.process_id, left));
      });
    });
  }

  /** In few turns: a hub that is told that something has changed serves nothing new before it knows what. */
  *#since(since: number): Steps<FeedChanges> {
    const { users, agents, tokens, sessions, providers, tools } = this.deps.followed;
    const { profiles, restrictions, killSwitches, tuning, policies, prices, budgets, hookSources } = this.deps.followed;
    return yield* together<FeedChanges>({
      revision: this.#revision("all"),
      users: users.changedAfter(since),
      agents: agents.changedAfter(since),
      tokens: tokens.changedAfter(since),
      sessions: sessions.changedAfter(since),
      providers: this.#ifChanged("providers", since, () => providers.every()),
      tools: this.#ifChanged("tools", since, () => tools.registry(since)),
      profiles: profiles.changedAfter(since),
      restrictions: restrictions.changedAfter(since),
      kill_switches: killSwitches.changedAfter(since),
      tuning: tuning.changedAfter(since),
      policy: this.#ifChanged("policies", since, () => policies.newest()),
      prices: this.#ifChanged("prices", since, () => prices.every()),
      budgets: this.#ifChanged("budgets", since, () => budgets.every()),
      hook_sources: this.#ifChanged("hook_sources", since, () => hookSources.every()),
    });
  }

  *#ifChanged<T>(subject: ChangeSubject, since: number, read: () => Steps<T>): Steps<T | null> {
    return since === 0 || (yield* this.#revision(subject)) > since ? yield* read() : null;
  }

  *#revision(subject: ChangeSubject): Steps<number> {
    return (yield* one(this.#current, { subject }))?.value ?? 0;
  }
}
