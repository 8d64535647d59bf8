import { GuardError } from "#core/errors";
import type { Effective, Said } from "#core/profile/effective";
import type { Clock } from "#platform/clock";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Conversations whose calls are counted; the oldest are forgotten first. */
const MOST_CONVERSATIONS = 20_000;

/** What one agent has used of a day. */
export type Spent = { readonly requests: number; readonly tokens: number };

type Deps = {
  readonly now: Clock;
  /** What was used today before this process began to count. */
  readonly spentToday: (agentId: string) => Spent;
};

/** What a call wants, and on whose account. */
export type Claim = {
  readonly agent_id: string;
  readonly limits: Effective["limits"];
  /** The prompt and the most it may answer, as far as can be said before. */
  readonly tokens: number;
  readonly conversation: string | null;
};

/** A call's place within the limits. It is given back exactly once, however the call ends. */
export type Reservation = {
  /** `tokens`: what the call really used. Later calls of this do nothing. */
  settle(tokens: number): void;
};

/** A sliding minute: the part of the last one that still reaches in counts with its share. */
class Minute {
  private start = 0;
  private before = 0;
  private current = 0;

  used(now: number): number {
    this.turn(now);
    const share = 1 - (now - this.start) / MINUTE_MS;
    return this.before * share + this.current;
  }

  add(now: number, amount: number): void {
    this.turn(now);
    this.current = Math.max(0, this.current + amount);
  }

  /** Milliseconds until `amount` more fits under `limit`; a minute when it never does. */
  waitFor(now: number, amount: number, limit: number): number {
    const over = this.used(now) + amount - limit;
    if (over <= 0) return 0;
    const left = MINUTE_MS - (now - this.start);
    if (this.before > 0 && (over / this.before) * MINUTE_MS <= left) return Math.ceil((over / this.before) * MINUTE_MS);
    return left;
  }

  private turn(now: number): void {
    const start = now - (now % MINUTE_MS);
    if (start === this.start) return;
    this.before = start - this.start === MINUTE_MS ? this.current : 0;
    this.current = 0;
    this.start = start;
  }
}

type Account = {
  readonly requests: Minute;
  readonly tokens: Minute;
  open: number;
  day: number;
  daily: { requests: number; tokens: number };
};

/** What is left, for the headers clients read. */
export type Remaining = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
};

/** Requests, tokens and calls at a time of every agent: reserved before a call, settled after it. One process serves a hub. */
export class Limiter {
  private readonly accounts = new Map<string, Account>();
  private readonly conversations = new Map<string, number>();

  constructor(private readonly deps: Deps) {}

  /** Throws `rate_limit_exceeded` and `insufficient_quota`, naming the layer; then nothing was taken. */
  reserve({ agent_id, limits, tokens, conversation }: Claim): Reservation {
    const now = this.deps.now();
    const account = this.accountOf(agent_id, now);
    const talk = conversation === null ? null : `${agent_id} ${conversation}`;
    this.check(account, { limits, tokens, now, calls: talk === null ? 0 : (this.conversations.get(talk) ?? 0) });
    account.requests.add(now, 1);
    account.tokens.add(now, tokens);
    account.daily.requests += 1;
    account.daily.tokens += tokens;
    account.open += 1;
    if (talk !== null && limits.calls_per_conversation) this.count(talk);
    let isSettled = false;
    return {
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        const then = this.deps.now();
        account.open -= 1;
        account.tokens.add(then, used - tokens);
        if (dayOf(then) === account.day) account.daily.tokens = Math.max(0, account.daily.tokens + used - tokens);
      },
    };
  }

  /** Requests and tokens of the minute, where they are limited. */
  remaining(agentId: string, limits: Effective["limits"]): { requests: Remaining | null; tokens: Remaining | null } {
    const now = this.deps.now();
    const account = this.accountOf(agentId, now);
    const left = (minute: Minute, bound: Said<number> | null): Remaining | null =>
      bound && {
        limit: bound.value,
        remaining: Math.max(0, Math.floor(bound.value - minute.used(now))),
        resetMs: MINUTE_MS - (now % MINUTE_MS),
      };
    return {
      requests: left(account.requests, limits.requests_per_minute),
      tokens: left(account.tokens, limits.tokens_per_minute),
    };
  }

  private check(
    account: Account,
    { limits, tokens, now, calls }: { limits: Effective["limits"]; tokens: number; now: number; calls: number },
  ): void {
    const { requests_per_minute, tokens_per_minute, requests_per_day, tokens_per_day, concurrent } = limits;
    if (requests_per_day && account.daily.requests + 1 > requests_per_day.value)
      throw spent(requests_per_day, "requests_per_day", now);
    if (tokens_per_day && account.daily.tokens + tokens > tokens_per_day.value)
      throw spent(tokens_per_day, "tokens_per_day", now);
    if (concurrent && account.open + 1 > concurrent.value) throw limited(concurrent, "concurrent", 1_000);
    if (requests_per_minute) {
      const wait = account.requests.waitFor(now, 1, requests_per_minute.value);
      if (wait > 0) throw limited(requests_per_minute, "requests_per_minute", wait);
    }
    if (tokens_per_minute) {
      const wait = account.tokens.waitFor(now, tokens, tokens_per_minute.value);
      if (wait > 0) throw limited(tokens_per_minute, "tokens_per_minute", wait);
    }
    const most = limits.calls_per_conversation;
    if (most && calls + 1 > most.value) throw spent(most, "calls_per_conversation", now);
  }

  private accountOf(agentId: string, now: number): Account {
    const day = dayOf(now);
    const known = this.accounts.get(agentId);
    if (known) {
      if (known.day !== day) Object.assign(known, { day, daily: { requests: 0, tokens: 0 } });
      return known;
    }
    const { requests, tokens } = this.deps.spentToday(agentId);
    const account = { requests: new Minute(), tokens: new Minute(), open: 0, day, daily: { requests, tokens } };
    this.accounts.set(agentId, account);
    return account;
  }

  private count(talk: string): void {
    const calls = (this.conversations.get(talk) ?? 0) + 1;
    this.conversations.delete(talk);
    this.conversations.set(talk, calls);
    if (this.conversations.size <= MOST_CONVERSATIONS) return;
    for (const oldest of this.conversations.keys()) {
      this.conversations.delete(oldest);
      return;
    }
  }
}

const dayOf = (now: number): number => Math.floor(now / DAY_MS);

const guardOf = (bound: Said<number>, rule: string) => ({ guard: { layer: bound.layer, rule, limit: bound.value } });

const limited = (bound: Said<number>, rule: string, waitMs: number): GuardError =>
  new GuardError("rate_limit_exceeded", `Over the agent's limit of ${bound.value} ${rule} (${bound.layer}).`, {
    extra: guardOf(bound, rule),
    headers: { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  });

const spent = (bound: Said<number>, rule: string, now: number): GuardError => {
  const untilTomorrow = DAY_MS - (now % DAY_MS);
  return new GuardError("insufficient_quota", `The agent's ${bound.value} ${rule} are spent (${bound.layer}).`, {
    extra: guardOf(bound, rule),
    headers: { "retry-after": String(Math.ceil(untilTomorrow / 1_000)) },
  });
};
