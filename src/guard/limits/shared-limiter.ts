import { GuardError } from "#core/errors";
import { Shape, type Static, Type } from "#core/schema";
import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { Bounds } from "#policy/profile/effective";
import type { LimitChange, LimitStore, UsedLimits } from "#store/limit-port";
import {
  type Account,
  type CallLimiter,
  type Claim,
  claimed,
  conversationKeyOf,
  correct,
  countable,
  dayOf,
  headersOf,
  isLimited,
  newAccount,
  oversOf,
  type Reservation,
  refusalOf,
  roll,
  seenOf,
  wantedOf,
} from "./limiter";
import { Minute } from "./minute";

const MinuteState = Type.Object({ start: Type.Number(), before: Type.Number(), current: Type.Number() });
const State = Type.Object({
  requests: MinuteState,
  tokens: MinuteState,
  day: Type.Number(),
  daily: Type.Object({ requests: Type.Number(), tokens: Type.Number() }),
});

/** Agents whose use is remembered for the headers of answers. */
const MAX_REMEMBERED = 10_000;
const NOTHING = { requests: 0, tokens: 0 };

type SharedLimiterNeeds = {
  readonly now: Clock;
  readonly limits: LimitStore;
  /** What a call has used was not written; it is tried again with the next. */
  readonly onFault: (error: unknown) => void;
};

type Reserved = { seen: Reservation["watched"]; refusal: Error | null; at: number };

/** What is to be written of a call that has ended. */
type Settled = {
  readonly agentId: string;
  readonly tokens: number;
  readonly reservedAt: number;
  readonly used: number;
};

/**
 * The same limits where several processes serve: what an agent uses is one row, so that nobody is let in over a limit, nor
 * refused under it. Agents without limits cost nothing, and processes that serve alone have `Limiter`.
 */
export class SharedLimiter implements CallLimiter {
  private readonly shape = new Shape(State);
  /** As of each agent's last call here. */
  private readonly accounts = new RecentlyUsed<Account>(MAX_REMEMBERED);
  private unwritten: Settled[] = [];
  private readonly writing = new Set<Promise<void>>();
  /** By how much the store's clock is ahead of this process's, in milliseconds. */
  private ahead = 0;

  constructor(private readonly deps: SharedLimiterNeeds) {}

  /** Rejects with `rate_limit_exceeded` and `insufficient_quota`, naming the layer; then nothing was taken. */
  async reserve(claim: Claim): Promise<Reservation> {
    const { agent_id, limits, watched } = claim;
    const tokens = countable(claim.tokens);
    if (!isLimited(limits) && (watched === null || !isLimited(watched))) return { watched: [], settle: () => {} };
    const conversation = conversationKeyOf(claim);
    const reserved: Reserved = { seen: [], refusal: null, at: 0 };
    const decide = (used: UsedLimits): LimitChange | null => {
      const { now } = used;
      const account = this.accountOf(used);
      this.remember(agent_id, account, now);
      reserved.at = now;
      reserved.refusal = null;
      const wanted = wantedOf(claim, { earlier: NOTHING, calls: used.calls, tokens, now });
      for (const over of oversOf(account, limits, wanted)) {
        reserved.refusal = refusalOf(over, headersOf(account, limits, NOTHING, now));
        return null;
      }
      reserved.seen = watched === null ? [] : seenOf(oversOf(account, watched, wanted));
      claimed(account, tokens, now);
      return { state: stateOf(account), open: 1, calls: conversation === null ? 0 : 1 };
    };
    try {
      await this.deps.limits.change(agent_id, conversation, decide);
    } catch (error) {
      this.deps.onFault(error);
      throw new GuardError("guard_unavailable", "The limits of this agent cannot be counted at the moment. Try again.");
    }
    if (reserved.refusal !== null) throw reserved.refusal;
    let isSettled = false;
    return {
      watched: reserved.seen,
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        const settled = { agentId: agent_id, tokens, reservedAt: reserved.at, used: countable(used) };
        this.begin(settled).catch(this.deps.onFault);
      },
    };
  }

  headersFor(agentId: string, limits: Bounds): Readonly<Record<string, string>> {
    const account = this.accounts.get(agentId);
    return account ? headersOf(account, limits, NOTHING, this.deps.now() + this.ahead) : {};
  }

  /** Writes what was not, and waits for what is being written; to be called now and then, and when the process stops. */
  async write(): Promise<void> {
    const unwritten = this.unwritten;
    this.unwritten = [];
    for (const one of unwritten) this.begin(one);
    let fault: { readonly error: unknown } | null = null;
    for (const outcome of await Promise.allSettled([...this.writing])) {
      if (outcome.status === "rejected") fault ??= { error: outcome.reason };
    }
    if (fault !== null) throw fault.error;
  }

  private begin(one: Settled): Promise<void> {
    const writing = this.settle(one)
      .catch((error: unknown) => {
        this.unwritten.push(one);
        throw error;
      })
      .finally(() => this.writing.delete(writing));
    this.writing.add(writing);
    return writing;
  }

  private settle({ agentId, tokens, reservedAt, used }: Settled): Promise<void> {
    return this.deps.limits.change(agentId, null, (before) => {
      const { now } = before;
      const account = this.accountOf(before);
      correct(account, { tokens, reservedAt, day: dayOf(reservedAt), used, now });
      this.remember(agentId, account, now);
      return { state: stateOf(account), open: -1, calls: 0 };
    });
  }

  private remember(agentId: string, account: Account, now: number): void {
    this.accounts.set(agentId, account);
    this.ahead = now - this.deps.now();
  }

  private accountOf({ now, state, open, stored }: UsedLimits): Account {
    if (!this.shape.fits(state)) return { ...newAccount(now), daily: { ...stored }, open };
    const { requests, tokens, day, daily } = state;
    const account = { requests: Minute.of(requests), tokens: Minute.of(tokens), open, day, daily: { ...daily } };
    roll(account, now);
    return account;
  }
}

const stateOf = ({ requests, tokens, day, daily }: Account): Static<typeof State> => ({
  requests: requests.state,
  tokens: tokens.state,
  day,
  daily,
});
