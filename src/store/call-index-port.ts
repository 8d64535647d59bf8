import type { CallCategory } from "#model/call-entry";
import type { AuditRow } from "./record";

/*
 * What we need of a store to find calls again. The index is filled beside the log and may be a moment behind it; every
 * method that reads brings it up to date first, as far as that goes within its patience.
 */

/** Inclusive; what has no such number is in no range. */
export type Range = { readonly min?: number | undefined; readonly max?: number | undefined };

/** What a call is found by; what is undefined does not matter. */
export type CallFilter = {
  /** A kind, as `tool.call`, the first word of several, as `tool`, or `model` for the kinds of all model APIs. */
  readonly kind?: string | undefined;
  readonly category?: CallCategory | undefined;
  readonly decision?: string | undefined;
  readonly outcome?: string | undefined;
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly token_id?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly conversation_id?: string | undefined;
  readonly cost_basis?: string | undefined;
  /** A flag type or a prefix of some. */
  readonly flag?: string | undefined;
  readonly status?: Range | undefined;
  /** How long it took, in milliseconds. */
  readonly ms?: Range | undefined;
  readonly tokens?: Range | undefined;
  /** In nano-dollars. */
  readonly cost?: Range | undefined;
  /** Unix milliseconds, inclusive and exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
};

/** Whose calls somebody may see: a user's own without an agent, and those of these agents. Null for all. */
export type CallScope = { readonly user_id: string; readonly agent_ids: readonly string[] } | null;

/** What is asked of all calls that match. */
export type CallQuestion = {
  readonly filter: CallFilter;
  readonly scope: CallScope;
  /** Milliseconds after which it answers with what it has found so far. */
  readonly patienceMs: number;
};

/** By which number calls are put in order, those that have none last. */
export const CALL_ORDERS = ["at", "ms", "tokens", "cost"] as const;
export type CallOrder = { readonly by: (typeof CALL_ORDERS)[number]; readonly isAscending: boolean };

export type CallSearch = CallQuestion & {
  /** Newest first where nothing is said. */
  readonly order?: CallOrder | undefined;
  /** Where an earlier search in the same order said to go on; null for the first. */
  readonly before: string | null;
  readonly limit: number;
};

/** How far an answer goes. */
export type Looked = {
  /** When what was looked at last was, Unix milliseconds; null when everything was. */
  readonly scannedUntil: number | null;
  /** Records that are not indexed yet. */
  readonly behind: number;
};

export type FoundCalls = Looked & {
  /** In the order that was asked for. */
  readonly rows: readonly AuditRow[];
  /** Where to go on; null when everything was looked at. */
  readonly next: string | null;
};

/** What calls come to; `cost` in nano-dollars. */
export type CallSum = {
  readonly calls: number;
  readonly tokens: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cost: number;
  /** Calls whose cost is an estimate, and those whose model has no price. */
  readonly estimated: number;
  readonly unpriced: number;
};

/** What calls are told apart by. */
export const CALL_FIELDS = [
  "decision",
  "kind",
  "outcome",
  "status",
  "model",
  "tool",
  "flag",
  "agent_id",
  "user_id",
  "token_id",
  "conversation_id",
  "cost_basis",
] as const;
export type CallField = (typeof CALL_FIELDS)[number];

/** By what values are put in order, the largest first. */
export const VALUE_ORDERS = ["calls", "tokens", "cost"] as const;
export type ValueOrder = (typeof VALUE_ORDERS)[number];
export type ValueQuestion = CallQuestion & {
  readonly by: CallField;
  readonly order: ValueOrder;
  readonly most: number;
};
export type ValueSum = Pick<CallSum, "calls" | "tokens" | "cost">;
export type CallValue = { readonly value: string; readonly sum: ValueSum };

/**
 * Milliseconds: a minute, kept for two days; a quarter of an hour, for eight; an hour and a day (UTC), as long as the log.
 * Each is a multiple of the one before.
 */
export const TRAFFIC_SPANS = [60_000, 900_000, 3_600_000, 86_400_000] as const;
export type TrafficSpan = (typeof TRAFFIC_SPANS)[number];

/** The few sums that every bucket has, or also what is counted by name and by bin. */
export type TrafficDetail = "sums" | "names";

/** Buckets that begin in [since, until), counted by a span. */
export type TrafficQuestion = {
  readonly span: TrafficSpan;
  /** Unix milliseconds. */
  readonly since: number;
  readonly until: number;
  readonly scope: CallScope;
  readonly detail: TrafficDetail;
  /** Of what is counted by name only what begins so, such as `model.`; all of it where nothing is said. */
  readonly prefix?: string | undefined;
  /** Only buckets that begin at one of these moments. */
  readonly only?: readonly number[] | undefined;
};

export type TrafficBucket = { readonly at: number; readonly counts: ReadonlyMap<string, number> };

export type CallIndex = {
  search(wanted: CallSearch): Promise<FoundCalls>;
  /** What all that match come to. */
  sums(question: CallQuestion): Promise<Looked & { readonly sum: CallSum }>;
  /** The values of a field, each with what its calls come to, those that come to the most first. */
  values(question: ValueQuestion): Promise<Looked & { readonly values: readonly CallValue[] }>;
  /** The final record of a call, or its request record while it is open. */
  byCall(callId: string): Promise<AuditRow | null>;
  /** The record of that id, as lists of calls name it. */
  byRecord(id: string): Promise<AuditRow | null>;
  /** The final record of the call that an event is of. */
  byEvent(eventId: string): Promise<AuditRow | null>;
  /** Oldest first. Of a scope several may begin at one time: one for the user and one for each agent. */
  traffic(question: TrafficQuestion): Promise<{ readonly buckets: readonly TrafficBucket[]; readonly behind: number }>;
  /** What the index takes on disk, without the counters, which are few. */
  bytes(): Promise<number>;
  /** Forgets counters that have had their time and entries whose records were dropped. */
  retain(now: number): Promise<void>;
};
