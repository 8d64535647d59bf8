import { GuardError } from "#core/errors";
import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { Bounds, Said } from "#policy/profile/effective";
import type { Denial } from "#policy/profile/permits";
import { Minute } from "./minute";

/** What is left of one limit. */
export type Left = { readonly limit: number; readonly remaining: number; readonly resetMs: number };

/** The names OpenAI's clients read. */
export const rateHeaders = (
  of: "requests" | "tokens",
  { limit, remaining, resetMs }: Left,
): Readonly<Record<string, string>> => ({
  [`x-ratelimit-limit-${of}`]: String(limit),
  [`x-ratelimit-remaining-${of}`]: String(Math.max(0, Math.floor(remaining))),
  [`x-ratelimit-reset-${of}`]: durationText(resetMs),
});

/** As OpenAI writes it, which is as Go does: `12ms`, `1s`, `6m0s`, `1h0m0s`. Rounded up. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const all = Math.ceil(ms / 1_000);
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
};

export const DAY_MS = 86_400_000;
/** Conversations whose calls are counted, half of them at least; those that were silent longest are forgotten first. */
const MAX_CONVERSATIONS = 40_000;
/** `Retry-After` where nobody knows when a place becomes free, in milliseconds. */
const SOON_MS = 1_000;
/** A limit per minute is free again after at most this many milliseconds; one call may want more than the limit. */
const MAX_WAIT_MS = 120_000;
/** More tokens than any call has: sums stay exact. */
const MAX_TOKENS = 1e12;

/** What one agent has used of a day. */
export type SpentTokens = { readonly requests: number; readonly tokens: number };

type LimiterNeeds = {
  readonly now: Clock;
  /** What was used today before this process began to count. After a crash some of it comes to light later. */
  readonly spentEarlier: (agentId: string) => SpentTokens;
};

/** What a call wants, and on whose account. */
export type Claim = {
  readonly agent_id: string;
  readonly limits: Bounds;
  /** Limits that are only watched; null for none. */
  readonly watched: Bounds | null;
  /** The prompt and the most it may answer, as far as can be said before. */
  readonly tokens: number;
  /** Calls of models and calls of tools are counted apart. */
  readonly conversation: { readonly of: "models" | "tools"; readonly id: string } | null;
};

/** A call's place within the limits. It is given back exactly once, however the call ends. */
export type Reservation = {
  /** Watched limits that it is over. */
  readonly watched: readonly Denial[];
  /** `tokens`: what the call really used. Later calls of this do nothing. */
  settle(tokens: number): void;
};

export type Account = {
  readonly requests: Minute;
  readonly tokens: Minute;
  open: number;
  day: number;
  daily: { requests: number; tokens: number };
};

/** A limit that a call would be over. `waitMs`: until it would not be; null for one that time does not change. */
type Over = { readonly bound: Said<number>; readonly rule: keyof Bounds; readonly waitMs: number | null };

/** What a call would add to its account. */
type Wanted = {
  readonly earlier: SpentTokens;
  readonly tokens: number;
  readonly now: number;
  readonly calls: number;
  readonly of: "models" | "tools";
};

/** Requests, tokens and calls at a time of every agent: reserved before a call, settled after it. */
export type CallLimiter = {
  /** Throws `rate_limit_exceeded` and `insufficient_quota`, naming the layer; then nothing was taken. */
  reserve(claim: Claim): Reservation | Promise<Reservation>;
  /** What is left of the limits in force, for the headers clients read. */
  headersFor(agentId: string, limits: Bounds): Readonly<Record<string, string>>;
};

/** Of a process that serves alone: in memory. */
export class Limiter implements CallLimiter {
  private readonly accounts = new Map<string, Account>();
  private readonly conversations = new RecentlyUsed<number>(MAX_CONVERSATIONS);

  constructor(private readonly deps: LimiterNeeds) {}

  reserve(claim: Claim): Reservation {
    const { agent_id, limits, watched, conversation } = claim;
    const now = this.deps.now();
    const tokens = countable(claim.tokens);
    const account = this.accountOf(agent_id, now);
    const key = conversation === null ? null : `${agent_id} ${conversation.of} ${conversation.id}`;
    const calls = key === null ? 0 : (this.conversations.get(key) ?? 0);
    const earlier = this.deps.spentEarlier(agent_id);
    const wanted = wantedOf(claim, { earlier, calls, tokens, now });
    for (const over of oversOf(account, limits, wanted))
      throw refusalOf(over, headersOf(account, limits, earlier, now));
    const seen = watched === null ? [] : seenOf(oversOf(account, watched, wanted));

    claimed(account, tokens, now);
    account.open += 1;
    const most = CONVERSATION_LIMITS[wanted.of];
    if (key !== null && (limits[most] || watched?.[most])) this.conversations.set(key, calls + 1);
    const { day } = account;
    let isSettled = false;
    return {
      watched: seen,
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        account.open -= 1;
        const settledAt = this.deps.now();
        roll(account, settledAt);
        correct(account, { tokens, reservedAt: now, day, used: countable(used), now: settledAt });
      },
    };
  }

  headersFor(agentId: string, limits: Bounds): Readonly<Record<string, string>> {
    if (!isRated(limits)) return {};
    const now = this.deps.now();
    return headersOf(this.accountOf(agentId, now), limits, this.deps.spentEarlier(agentId), now);
  }

  private accountOf(agentId: string, now: number): Account {
    const known = this.accounts.get(agentId);
    if (known) {
      roll(known, now);
      return known;
    }
    const account = newAccount(now);
    this.accounts.set(agentId, account);
    return account;
  }
}

export const newAccount = (now: number): Account => ({
  requests: new Minute(),
  tokens: new Minute(),
  open: 0,
  day: dayOf(now),
  daily: { requests: 0, tokens: 0 },
});

/** Names the conversation of a claim whose calls are limited; null for none. */
export const conversationKeyOf = ({ agent_id, limits, watched, conversation }: Claim): string | null => {
  if (conversation === null) return null;
  const most = CONVERSATION_LIMITS[conversation.of];
  return limits[most] || watched?.[most] ? `${agent_id} ${conversation.of} ${conversation.id}` : null;
};

export const wantedOf = ({ conversation }: Claim, counted: Omit<Wanted, "of">): Wanted => ({
  ...counted,
  of: conversation?.of ?? "models",
});

/** Takes a call's place. */
export const claimed = (account: Account, tokens: number, now: number): void => {
  account.requests.add(now, 1);
  account.tokens.add(now, tokens);
  account.daily.requests += 1;
  account.daily.tokens += tokens;
};

/** Watched limits that a call is over. */
export const seenOf = (overs: Iterable<Over>): Denial[] =>
  [...overs].map(({ bound, rule }) => ({ layer: bound.layer, rule: ruleName(rule) }));

type Correction = {
  readonly tokens: number;
  readonly reservedAt: number;
  readonly day: number;
  readonly used: number;
  readonly now: number;
};

/** What was reserved too much goes back to when it was reserved; what was used beyond it is used now. */
export const correct = (account: Account, { tokens, reservedAt, day, used, now }: Correction): void => {
  if (used > tokens) {
    account.tokens.add(now, used - tokens);
    account.daily.tokens += used - tokens;
    return;
  }
  account.tokens.giveBack(now, reservedAt, tokens - used);
  if (account.day === day) account.daily.tokens = Math.max(0, account.daily.tokens + used - tokens);
};

const isRated = ({ requests_per_minute, requests_per_day, tokens_per_minute, tokens_per_day }: Bounds): boolean =>
  Boolean(requests_per_minute || requests_per_day || tokens_per_minute || tokens_per_day);

/** Whether anything is limited. */
export const isLimited = (limits: Bounds): boolean =>
  isRated(limits) || Boolean(limits.concurrent || limits.calls_per_conversation || limits.tool_calls_per_conversation);

/** What is left of the limits in force, for the headers clients read. */
export const headersOf = (
  { requests, tokens, daily }: Account,
  limits: Bounds,
  earlier: SpentTokens,
  now: number,
): Readonly<Record<string, string>> => {
  const { requests_per_minute, requests_per_day, tokens_per_minute, tokens_per_day } = limits;
  const ofMinute = (minute: Minute, { value }: Said<number>): Left => ({
    limit: value,
    remaining: value - minute.used(now),
    resetMs: minute.resetIn(now),
  });
  const ofDay = (spent: number, { value }: Said<number>): Left => ({
    limit: value,
    remaining: value - spent,
    resetMs: untilTomorrow(now),
  });
  return {
    ...(requests_per_minute
      ? rateHeaders("requests", ofMinute(requests, requests_per_minute))
      : requests_per_day && rateHeaders("requests", ofDay(earlier.requests + daily.requests, requests_per_day))),
    ...(tokens_per_minute
      ? rateHeaders("tokens", ofMinute(tokens, tokens_per_minute))
      : tokens_per_day && rateHeaders("tokens", ofDay(earlier.tokens + daily.tokens, tokens_per_day))),
  };
};

export const refusalOf = ({ bound, rule, waitMs }: Over, headers: Readonly<Record<string, string>>): GuardError => {
  const { layer, value } = bound;
  const isBudget = BUDGETS.has(rule);
  const limit = `${value} ${rule.replaceAll("_", " ")}`;
  const what = isBudget
    ? `The agent's ${limit} are spent (${layer}).`
    : `Over the agent's limit of ${limit} (${layer}).`;
  const wait = waitMs === null ? {} : { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  return new GuardError(isBudget ? "insufficient_quota" : "rate_limit_exceeded", what, {
    extra: { guard: { layer, rule: ruleName(rule), limit: value } },
    headers: { ...headers, ...wait },
  });
};

/** Spent limits: trying again soon is of no use. */
const BUDGETS: ReadonlySet<string> = new Set([
  "requests_per_day",
  "tokens_per_day",
  "calls_per_conversation",
  "tool_calls_per_conversation",
]);

const CONVERSATION_LIMITS = { models: "calls_per_conversation", tools: "tool_calls_per_conversation" } as const;

/** What the profile calls it. */
const ruleName = (rule: keyof Bounds): string =>
  rule === "tool_calls_per_conversation" ? "tools.max_calls_per_conversation" : `limits.${rule}`;

/** Every limit the call would be over, budgets first. */
export function* oversOf(
  account: Account,
  limits: Bounds,
  { earlier, tokens, now, calls, of }: Wanted,
): Generator<Over> {
  const { requests_per_minute, tokens_per_minute, requests_per_day, tokens_per_day, concurrent } = limits;
  const tomorrow = untilTomorrow(now);
  if (requests_per_day && earlier.requests + account.daily.requests + 1 > requests_per_day.value)
    yield { bound: requests_per_day, rule: "requests_per_day", waitMs: tomorrow };
  if (tokens_per_day && earlier.tokens + account.daily.tokens + tokens > tokens_per_day.value)
    yield { bound: tokens_per_day, rule: "tokens_per_day", waitMs: tomorrow };
  const rule = CONVERSATION_LIMITS[of];
  const most = limits[rule];
  if (most && calls + 1 > most.value) yield { bound: most, rule, waitMs: null };
  if (concurrent && account.open + 1 > concurrent.value)
    yield { bound: concurrent, rule: "concurrent", waitMs: SOON_MS };
  if (requests_per_minute) {
    const waitMs = account.requests.waitFor(now, 1, requests_per_minute.value);
    if (waitMs > 0) yield { bound: requests_per_minute, rule: "requests_per_minute", waitMs };
  }
  if (tokens_per_minute) {
    const waitMs = Math.min(MAX_WAIT_MS, account.tokens.waitFor(now, tokens, tokens_per_minute.value));
    if (waitMs > 0) yield { bound: tokens_per_minute, rule: "tokens_per_minute", waitMs };
  }
}

export const roll = (account: Account, now: number): void => {
  const day = dayOf(now);
  // A clock that was days ahead: what was spent counts on, on the day that it is.
  if (account.day > day + 1) account.day = day;
  if (account.day < day) Object.assign(account, { day, daily: { requests: 0, tokens: 0 } });
};

/** Callers and providers write what they like. */
export const countable = (tokens: number): number => (tokens > 0 ? Math.min(MAX_TOKENS, Math.ceil(tokens)) : 0);

export const dayOf = (now: number): number => Math.floor(now / DAY_MS);

const untilTomorrow = (now: number): number => DAY_MS - (now % DAY_MS);
