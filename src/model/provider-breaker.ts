/** What a provider failed of: it refused the credential, answered with an error of its own, or did not answer. */
export type BreakerCause = "auth" | "server" | "connection";

/**
 * Whether a provider's credential is used: `open` after failures in a row, then it is asked only when no other provider
 * answers; `half_open` while one call tries whether it works again.
 */
export const BREAKER_STATES = ["closed", "open", "half_open"] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export type BreakerReading = {
  readonly state: BreakerState;
  /** In a row. */
  readonly failures: number;
  /** Of the last failure; null while there is none. */
  readonly cause: BreakerCause | null;
  /** When the state began, in Unix milliseconds; null for one that has always been closed. */
  readonly since: number | null;
};
