/** Moments, Unix milliseconds: what ended before one of them has had its time. */
export type Ended = {
  /** Of what has records in the audit log that are dropped by now. */
  readonly governance: number;
  /** Of calls that were held for a person, with their arguments. */
  readonly holds: number;
};

/** How many rows went, by what they were of. */
export type Dropped = Readonly<
  Record<"holds" | "restrictions" | "kill_switches" | "reports" | "jobs" | "tokens" | "sessions", number>
>;

/**
 * Rows that are of no use once they are over. Never the audit log's, and nothing that still governs, opens or waits. No
 * record and no new revision: nobody is held to what is over. A few at a time, for calls go on meanwhile.
 */
export type RetentionStore = { drop(ended: Ended): Promise<Dropped> };
