import { hasPassed } from "#platform/clock";

/** So many failures in a row, and a server is left alone for a while. */
const FAILURES = 5;
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 60_000;

/**
 * A circuit breaker: after failures in a row nothing is tried for a while, then one call is let through to find out.
 * Each failed trial doubles the rest.
 */
export class ToolServerBreaker {
  private failures = 0;
  /** How long the next rest is. */
  private restMs = FIRST_REST_MS;
  private rest = { since: 0, ms: 0 };
  private isTrying = false;

  constructor(private readonly now: () => number) {}

  /** Whether a call may go out now; one that may must tell how it ended. */
  mayTry(): boolean {
    if (this.failures < FAILURES) return true;
    if (this.isTrying || !hasPassed(this.rest.ms, this.rest.since, this.now())) return false;
    this.isTrying = true;
    return true;
  }

  get isOpen(): boolean {
    return this.failures >= FAILURES;
  }

  succeeded(): void {
    this.failures = 0;
    this.restMs = FIRST_REST_MS;
    this.isTrying = false;
  }

  /** True when the server is to be left alone from now on: its connection is no good. */
  failed(): boolean {
    this.failures += 1;
    this.isTrying = false;
    if (this.failures < FAILURES) return false;
    this.rest = { since: this.now(), ms: this.restMs };
    this.restMs = Math.min(this.restMs * 2, MAX_REST_MS);
    return true;
  }

  /** Ended without telling anything of the server: its caller cancelled. */
  abstained(): void {
    this.isTrying = false;
  }
}
