import type { AnchorDetail, AuditColumns, Head, LogHeads } from "./audit-link";

import type { SerialisedRecord } from "./record";

/*
 * Records are written to a log of this process's own first, and shipped to the database that several hubs share. Here is
 * what is shipped of a log: rows as they are, what signs them, and what they are counted by.
 */

/** What a log is, for good: another one under its name is refused. */
export type LogFacts = {
  /** What its first record is linked to. */
  readonly origin: string;
  /** Names what its checkpoints are signed with, and the public key: SPKI, DER, base64. */
  readonly keyId: string;
  readonly publicKey: string;
};

export type ShippedRow = AuditColumns & {
  readonly seq: number;
  /** `2026-11`: the month in whose table it is, which may be the one after its own. */
  readonly month: string;
  readonly body: string;
  readonly prev_hash: string;
  readonly hash: string;
};

export type ShippedCheckpoint = {
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
  readonly key_id: string;
  readonly signature: string;
  readonly prev: string | null;
};

/** Which checkpoint is the newest, signed. */
export type ShippedHead = {
  readonly seq: number;
  readonly checkpoint: string;
  readonly key_id: string;
  readonly signature: string;
};

/** The end of the months that retention took, signed. */
export type ShippedDrop = Head & {
  readonly name: string;
  readonly at: number;
  readonly key_id: string;
  readonly signature: string;
};

export type ShippedTraffic = {
  readonly span: number;
  readonly at: number;
  readonly subject: number;
  readonly counts: string;
  readonly names: string;
};

export type ShippingLag = {
  /** Records that wait. */
  readonly records: number;
  /** Since when the oldest of them does, Unix milliseconds; null for none. */
  readonly since: number | null;
};

/** Records wait for no longer than this in a hub that is ready. Milliseconds. */
export const MAX_LAG_MS = 300_000;

/** A month of shipped records that was dropped, and where each log ended in it. */
export type DroppedMonth = { readonly month: string; readonly logs: LogHeads };
export type DroppedMonths = {
  readonly dropped: readonly DroppedMonth[];
  /** A node that has still to ship records of the next month; null for none. */
  readonly waitsFor: string | null;
};

/** Brings what this hub records to the database that several share, and looks after what is there. */
export type Shipping = {
  /** To be called again and again. Throws what the database says; the next time goes on from there. */
  run(): Promise<void>;
  /** As far as is known here. */
  lag(): ShippingLag;
  /** Names in the chain of changes where the logs of all hubs stand, as far as they were shipped, and signs that. */
  bind(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void>;
  /**
   * Ends on record the calls that dead hubs have left open, as far as they were shipped: `endOf` makes the final record of
   * the `request` one; null leaves it. A hub that comes back says itself how they ended. How many there were.
   */
  endInterrupted(
    endOf: (request: SerialisedRecord) => SerialisedRecord | null,
    recordOf: (calls: InterruptedCalls) => SerialisedRecord,
  ): Promise<number>;
  /**
   * Drops whole months that ended before `before` and that every log was shipped beyond, each in one transaction with the
   * record that says so, and what was counted of calls longer ago than it is kept. Moments in Unix milliseconds.
   */
  dropBefore(before: number, recordOf: (dropped: DroppedMonth) => SerialisedRecord): Promise<DroppedMonths>;
};

/** Calls of one node that others have ended. */
export type InterruptedCalls = { readonly node: string; readonly calls: readonly string[] };

/** A log that is shipped. Every method takes some milliseconds at most. */
export type LogSource = {
  facts(): LogFacts;
  head(): Head;
  /** Null where there is no such record (any more). `at` is when it was, Unix milliseconds. */
  at(seq: number): { readonly hash: string; readonly at: number } | null;
  /** Oldest first. */
  rows(after: number, most: number): readonly ShippedRow[];
  /** Oldest first, up to that record. */
  checkpoints(after: number, upTo: number, most: number): readonly ShippedCheckpoint[];
  signedHead(): ShippedHead | null;
  /** The newest month that retention took. */
  dropped(): ShippedDrop | null;
  /** Counters of one span from a moment on, oldest first, after those of the last one. */
  traffic(span: number, since: number, most: number, after: ShippedTraffic | null): readonly ShippedTraffic[];
};
