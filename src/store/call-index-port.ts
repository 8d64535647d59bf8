import type { AuditRow } from "./record";

/*
 * What we need of a store to find calls again. The index is filled beside the log and may be a moment behind it; every
 * method that reads brings it up to date first, as far as that goes within its patience.
 */

/** What a call is found by; what is undefined does not matter. */
export type CallFilter = {
  /** A kind, as `tool.call`, the first word of several, as `tool`, or `model` for the kinds of all model APIs. */
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  readonly outcome?: string | undefined;
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly token_id?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly conversation_id?: string | undefined;
  /** A flag type or a prefix of some. */
  readonly flag?: string | undefined;
  /** Unix milliseconds, inclusive and exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
};

/** Whose calls somebody may see: a user's own without an agent, and those of these agents. Null for all. */
export type CallScope = { readonly user_id: string; readonly agent_ids: readonly string[] } | null;

export type CallSearch = {
  readonly filter: CallFilter;
  readonly scope: CallScope;
  /** Where an earlier search said to go on; null for the newest. */
  readonly before: string | null;
  readonly limit: number;
  /** Milliseconds after which it answers with what it has found so far. */
  readonly patienceMs: number;
};

export type FoundCalls = {
  /** Newest first. */
  readonly rows: readonly AuditRow[];
  /** Where to go on; null when everything was looked at. */
  readonly next: string | null;
  /** When what was looked at last was, Unix milliseconds; null when everything was. */
  readonly scannedUntil: number | null;
  /** Records that are not indexed yet. */
  readonly behind: number;
};

/** Milliseconds: a minute, kept for two days; a quarter of an hour, for eight; an hour, as long as the log. */
export const TRAFFIC_SPANS = [60_000, 900_000, 3_600_000] as const;
export type TrafficSpan = (typeof TRAFFIC_SPANS)[number];

export type TrafficBucket = { readonly at: number; readonly counts: ReadonlyMap<string, number> };

export type CallIndex = {
  search(wanted: CallSearch): Promise<FoundCalls>;
  /** The final record of a call, or its request record while it is open. */
  byCall(callId: string): Promise<AuditRow | null>;
  /** The record of that id, as lists of calls name it. */
  byRecord(id: string): Promise<AuditRow | null>;
  /** The final record of the call that an event is of. */
  byEvent(eventId: string): Promise<AuditRow | null>;
  /**
   * Buckets that begin in [since, until), oldest first. Of a scope several may begin at one time: one for the user and
   * one for each agent.
   */
  traffic(
    span: TrafficSpan,
    since: number,
    until: number,
    scope: CallScope,
  ): Promise<{ readonly buckets: readonly TrafficBucket[]; readonly behind: number }>;
  /** What the index takes on disk, without the counters, which are few. */
  bytes(): Promise<number>;
  /** Forgets counters that have had their time and entries whose records were dropped. */
  retain(now: number): Promise<void>;
};
