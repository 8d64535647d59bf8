import { and, asc, eq, gt, inArray, ne, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import { all, type Db, keptCommand, keptQuery, moment, one, type Queries, run, type Steps } from "#store/db";
import type { LimitChange, LimitStore, UsedLimits } from "#store/limit-port";
import type { NodeEpoch } from "#store/node-port";
import type { Tables } from "#store/tables";
import { Ceiling } from "./ceiling";

const DAY_MS = 86_400_000;

/** Conversations whose calls are counted; those that were silent longest are forgotten first. */
const MAX_CONVERSATIONS = 40_000;
/** Changes of one agent made in one transaction. */
const TOGETHER = 64;

const AGENT = sql.placeholder("agent");
const NOTHING = { requests: 0, tokens: 0 };

/** Calls of the agent under way in other processes that live. */
const openOf = (q: Queries, { limitOpen, node }: Tables) => {
  const live = and(eq(node.id, limitOpen.node), eq(node.epoch, limitOpen.epoch), eq(node.state, "live"));
  const open = q
    .select({ sum: sql`sum(${limitOpen.open})` })
    .from(limitOpen)
    .innerJoin(node, live)
    .where(
      and(eq(limitOpen.agent_id, AGENT), ne(node.id, sql.placeholder("node")), gt(node.until, sql.placeholder("now"))),
    );
  return sql<number>`coalesce((${open}), 0)`.mapWith(Number);
};

/** Each is asked for in calls. */
class Statements {
  /** All that a decision needs, in one question: whoever asks it holds up the agent's other calls. */
  readonly used = keptQuery((q, t) =>
    q
      .select({ state: t.limitAccount.state, open: openOf(q, t) })
      .from(t.limitAccount)
      .where(eq(t.limitAccount.agent_id, AGENT)),
  );

  /** The same, of a call in a conversation whose calls are limited. */
  readonly usedWithin = keptQuery((q, t) => {
    const { limitAccount, limitConversation: it } = t;
    const named = eq(it.conversation, sql.placeholder("conversation"));
    const calls = q.select({ calls: it.calls }).from(it).where(named);
    return q
      .select({
        state: limitAccount.state,
        open: openOf(q, t),
        calls: sql<number>`coalesce((${calls}), 0)`.mapWith(Number),
      })
      .from(limitAccount)
      .where(eq(limitAccount.agent_id, AGENT));
  });

  readonly stored = keptQuery((q, { usageDay: it }) =>
    q
      .select({ requests: it.requests, tokens: it.tokens })
      .from(it)
      .where(and(eq(it.day, sql.placeholder("day")), eq(it.subject_id, AGENT))),
  );

  readonly account = keptCommand((q, { limitAccount: it }) => {
    const row = { agent_id: AGENT, state: sql.placeholder("state") };
    const set = { state: sql`excluded.state` };
    return q.insert(it).values(row).onConflictDoUpdate({ target: it.agent_id, set });
  });

  readonly open = keptCommand((q, { limitOpen: it }) => {
    const [epoch, open] = [sql.placeholder("epoch"), sql.placeholder("open")];
    const row = { agent_id: AGENT, node: sql.placeholder("node"), epoch, open };
    const set = { open: sql`excluded.open`, epoch: sql`excluded.epoch` };
    return q
      .insert(it)
      .values(row)
      .onConflictDoUpdate({ target: [it.agent_id, it.node], set });
  });

  readonly conversation = keptCommand((q, { limitConversation: it }) => {
    const [calls, at] = [sql.placeholder("calls"), sql.placeholder("at")];
    const row = { conversation: sql.placeholder("conversation"), calls, at };
    const set = { calls: sql`${it.calls} + excluded.calls`, at: sql`excluded.at` };
    return q.insert(it).values(row).onConflictDoUpdate({ target: it.conversation, set });
  });
}

type Work = (used: UsedLimits) => LimitChange | null;

/** A change that was asked for, and waits for those of its agent before it. `conversation` is a hash. */
type Waiting = {
  readonly conversation: string | null;
  readonly work: Work;
  readonly done: (failure: { readonly error: unknown } | null) => void;
};

/** What becomes of an agent's use by some changes together. */
class Together {
  state: unknown;
  open = 0;
  isChanged = false;
  readonly calls = new Map<string, number>();

  constructor(
    private readonly before: Omit<UsedLimits, "calls">,
    private readonly counted: ReadonlyMap<string, number>,
  ) {
    this.state = before.state;
  }

  /** As if those before it had been written already. */
  take({ conversation, work }: Pick<Waiting, "conversation" | "work">): void {
    const before = conversation === null ? 0 : (this.counted.get(conversation) ?? 0);
    const more = conversation === null ? 0 : (this.calls.get(conversation) ?? 0);
    const used = { ...this.before, state: this.state, open: this.before.open + this.open, calls: before + more };
    const change = work(used);
    if (change === null) return;
    this.isChanged = true;
    this.state = change.state;
    this.open += change.open;
    if (conversation !== null && change.calls > 0) this.calls.set(conversation, more + change.calls);
  }
}

export class Limits implements LimitStore {
  readonly #statements = new Statements();
  readonly #ceiling = new Ceiling(({ limitConversation }) => limitConversation, MAX_CONVERSATIONS);
  readonly #waiting = new Map<string, Waiting[]>();
  /**
   * Calls under way in this process, by agent. What is written is how many there are, not how many more: a change whose
   * answer was lost is put right by the next one.
   */
  readonly #open = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly self: NodeEpoch | null,
  ) {}

  async change(agentId: string, conversation: string | null, work: Work): Promise<void> {
    const hash = conversation === null ? null : sha256Hex(conversation);
    if (this.db.blocks) await this.#make(agentId, [{ conversation: hash, work }]);
    else await this.#queue(agentId, hash, work);
  }

  /** Where a database answers over a network, what comes while one change is made is made with the next, all of it at once. */
  async #queue(agentId: string, conversation: string | null, work: Work): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done: Waiting["done"] = (failure) => (failure === null ? resolve() : reject(failure.error));
    const waiting = this.#waiting.get(agentId);
    if (waiting !== undefined) waiting.push({ conversation, work, done });
    else {
      this.#waiting.set(agentId, []);
      await this.#drain(agentId, [{ conversation, work, done }]);
    }
    await promise;
  }

  async #drain(agentId: string, first: readonly Waiting[]): Promise<void> {
    for (let some = first; some.length > 0; some = this.#waiting.get(agentId)?.splice(0, TOGETHER) ?? []) {
      let failure: { readonly error: unknown } | null = null;
      try {
        await this.#make(agentId, some);
      } catch (error) {
        failure = { error };
      }
      for (const { done } of some) done(failure);
    }
    this.#waiting.delete(agentId);
  }

  async #make(agentId: string, some: readonly Pick<Waiting, "conversation" | "work">[]): Promise<void> {
    const limits = this;
    let more = 0;
    const change = function* (): Steps<void> {
      // Of a try that was taken back.
      limits.#count(agentId, -more);
      more = 0;
      const now = yield* moment();
      const together = yield* limits.#read(agentId, some, now);
      for (const one of some) together.take(one);
      if (!together.isChanged) return;
      more = together.open;
      limits.#count(agentId, more);
      yield* limits.#write(agentId, together, now);
    };
    try {
      // A lock and not the row's own: an agent's first call has no row to lock.
      await this.db.tx(change, `limits ${agentId}`);
    } catch (error) {
      this.#count(agentId, -more);
      throw error;
    }
  }

  #count(agentId: string, more: number): void {
    const open = (this.#open.get(agentId) ?? 0) + more;
    if (open <= 0) this.#open.delete(agentId);
    else this.#open.set(agentId, open);
  }

  *#read(agent: string, some: readonly Pick<Waiting, "conversation">[], now: number): Steps<Together> {
    const asked = new Set(some.flatMap(({ conversation }) => conversation ?? []));
    const [only = null] = asked;
    const { used, usedWithin, stored } = this.#statements;
    const node = this.self?.id ?? "";
    const own = this.#open.get(agent) ?? 0;
    const counted = new Map<string, number>();
    let row: { readonly state: unknown; readonly open: number } | null;
    if (only === null) row = yield* one(used, { agent, node, now });
    else {
      const within = yield* one(usedWithin, { agent, node, now, conversation: only });
      counted.set(only, within?.calls ?? 0);
      row = within;
    }
    // An account is written with all that is counted of its agent.
    const day = { agent, day: now - (now % DAY_MS) };
    const today = row === null ? ((yield* one(stored, day)) ?? NOTHING) : NOTHING;
    if (asked.size > 1) {
      const others = yield* all((q, { limitConversation: it }, { among }) =>
        q.select({ id: it.conversation, calls: it.calls }).from(it).where(among(it.conversation, asked)),
      );
      for (const { id, calls: n } of others) counted.set(id, n);
    }
    return new Together({ now, state: row?.state ?? null, open: (row?.open ?? 0) + own, stored: today }, counted);
  }

  *#write(agent: string, { state, open, calls }: Together, at: number): Steps<void> {
    const { id: node, epoch } = this.self ?? { id: "", epoch: 0 };
    const statements = this.#statements;
    yield* run(statements.account, { agent, state });
    if (open !== 0) yield* run(statements.open, { agent, node, epoch, open: this.#open.get(agent) ?? 0 });
    for (const [conversation, n] of calls) {
      yield* run(statements.conversation, { conversation, calls: n, at });
      yield* this.#forgetSilent();
    }
  }

  *#forgetSilent(): Steps<void> {
    const ceiling = this.#ceiling;
    if (!(yield* ceiling.isPassed())) return;
    yield* run((q, { limitConversation: it }) => {
      const silent = q.select({ it: it.conversation }).from(it).orderBy(asc(it.at)).limit(ceiling.excess);
      return q.delete(it).where(inArray(it.conversation, silent));
    });
  }
}
