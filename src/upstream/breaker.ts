import type { BreakerCause, BreakerReading } from "#model/provider";
import { type Clock, hasPassed } from "#platform/clock";

/** Failures in a row that open it. */
export const BREAKER_FAILURES = 5;
/** How long it stays open the first time; each further time twice as long, up to the longest. Milliseconds. */
const OPEN_MS = 10_000;
const MAX_OPEN_MS = 300_000;
/** A trial call that has not ended after this time counts as failed, and another call may try. Milliseconds. */
const TRIAL_MS = 60_000;

export type BreakerOptions = {
  readonly now: Clock;
  /** Called when the state has changed. */
  readonly onChange?: (reading: BreakerReading) => void;
};

/**
 * Counts what becomes of the calls with one credential. While it is open its provider is asked after all others, and
 * from time to time one call tries whether it works again.
 */
export class Breaker {
  private failures = 0;
  private cause: BreakerCause | null = null;
  private state: BreakerReading["state"] = "closed";
  private since: number | null = null;
  private openMs = OPEN_MS;

  constructor(private readonly options: BreakerOptions) {}

  /** True where the provider may be asked before others; while it is tried again, for one call. */
  admits(): boolean {
    if (this.state === "closed") return true;
    const wait = this.state === "open" ? this.openMs : TRIAL_MS;
    if (this.since !== null && !hasPassed(wait, this.since, this.options.now())) return false;
    this.become("half_open");
    return true;
  }

  /** The provider answered, whatever it said: the credential is good, and it works. */
  worked(): void {
    this.failures = 0;
    this.cause = null;
    this.openMs = OPEN_MS;
    if (this.state !== "closed") this.become("closed");
  }

  failed(cause: BreakerCause): void {
    this.failures += 1;
    this.cause = cause;
    if (this.state === "half_open") this.openMs = Math.min(this.openMs * 2, MAX_OPEN_MS);
    if (this.state === "half_open" || (this.state === "closed" && this.failures >= BREAKER_FAILURES)) {
      this.become("open");
    }
  }

  read(): BreakerReading {
    const { state, failures, cause, since } = this;
    return { state, failures, cause, since };
  }

  private become(state: BreakerReading["state"]): void {
    this.state = state;
    this.since = this.options.now();
    this.options.onChange?.(this.read());
  }
}
