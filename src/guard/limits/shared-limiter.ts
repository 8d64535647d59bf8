import { Shape, type Static, Type } from "#core/schema";
import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { Bounds } from "#policy/profile/effective";
import type { LimitStore, UsedLimits } from "#store/limit-port";
import {
  type Account,
  type CallLimiter,
  type Claim,
  claimed,
  conversationKeyOf,
  correct,
  countable,
  DAY_MS,
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

  constructor(private readonly deps: SharedLimiterNeeds) {}

  /** Rejects with `rate_limit_exceeded` and `insufficient_quota`, naming the layer; then nothing was taken. */
  async reserve(claim: Claim): Promise<Reservation> {
    const { agent_id, limits, watched } = claim;
    const tokens = countable(claim.tokens);
    if (!isLimited(limits) && (watched === null || !isLimited(watched))) return { watched: [], settle: () => {} };
    const now = this.deps.now();
    const conversation = conversationKeyOf(claim);
    const reserved: { seen: Reservation["watched"]; refusal: Error | null } = { seen: [], refusal: null };
    await this.deps.limits.change(agent_id, { conversation, day: dayOf(now) * DAY_MS }, (used) => {
      const account = this.accountOf(used, now);
      this.accounts.set(agent_id, account);
      const wanted = wantedOf(claim, { earlier: NOTHING, calls: used.calls, tokens, now });
      for (const over of oversOf(account, limits, wanted)) {
        reserved.refusal = refusalOf(over, headersOf(account, limits, NOTHING, now));
        return null;
      }
      reserved.seen = watched === null ? [] : seenOf(oversOf(account, watched, wanted));
      claimed(account, tokens, now);
      return { state: stateOf(account), open: 1, calls: conversation === null ? 0 : 1 };
    });
    if (reserved.refusal !== null) throw reserved.refusal;
    let isSettled = false;
    return {
      watched: reserved.seen,
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        this.unwritten.push({ agentId: agent_id, tokens, reservedAt: now, used: countable(used) });
        this.write().catch(this.deps.onFault);
      },
    };
  }

  headersFor(agentId: string, limits: Bounds): Readonly<Record<string, string>> {
    const account = this.accounts.get(agentId);
    return account ? headersOf(account, limits, NOTHING, this.deps.now()) : {};
  }

  /** Writes what was not; to be called now and then, and when the process stops. */
  async write(): Promise<void> {
    const unwritten = this.unwritten;
    this.unwritten = [];
    while (unwritten.length > 0) {
      const [one] = unwritten;
      try {
        if (one) await this.settle(one);
      } catch (error) {
        this.unwritten.push(...unwritten);
        throw error;
      }
      unwritten.shift();
    }
  }

  private settle({ agentId, tokens, reservedAt, used }: Settled): Promise<void> {
    const now = this.deps.now();
    return this.deps.limits.change(agentId, { conversation: null, day: dayOf(now) * DAY_MS }, (before) => {
      const account = this.accountOf(before, now);
      correct(account, { tokens, reservedAt, day: dayOf(reservedAt), used, now });
      this.accounts.set(agentId, account);
      return { state: stateOf(account), open: -1, calls: 0 };
    });
  }

  private accountOf({ state, open, stored }: UsedLimits, now: number): Account {
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
