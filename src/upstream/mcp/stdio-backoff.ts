const FIRST_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A process that was well for so long starts with a clean record. */
const HEALTH_MS = 60_000;

/** How long a program that keeps ending is left alone before it is started again. */
export class Backoff {
  private failures = 0;
  private until = 0;

  constructor(private readonly now: () => number) {}

  /** Milliseconds until the next start; 0 when it may be now. */
  waitMs(): number {
    return Math.max(0, this.until - this.now());
  }

  /** It ended after `healthyMs` of service. */
  failed(healthyMs: number): void {
    this.failures = healthyMs >= HEALTH_MS ? 1 : this.failures + 1;
    // The exponent is held down: 2 to the power of a week of failures is no number.
    this.until = this.now() + Math.min(MAX_DELAY_MS, FIRST_MS * 2 ** Math.min(this.failures - 1, 10));
  }
}
