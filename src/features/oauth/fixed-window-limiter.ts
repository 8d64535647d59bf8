import { GuardError } from "#core/errors";
import type { Clock } from "#platform/clock";

const WINDOW_MS = 60_000;

/** How often something open to everybody is done in a minute: by one network, and by all together. */
export class FixedWindowLimiter {
  private began = 0;
  private total = 0;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly now: Clock,
    private readonly most: { readonly each: number; readonly all: number },
  ) {}

  /** Throws `rate_limit_exceeded`. What is remembered is bounded by what all together may do. */
  step(network: string): void {
    const now = this.now();
    // A clock that was set back would stand in this window for as long as it was set back.
    if (now < this.began || now - this.began >= WINDOW_MS) {
      this.began = now;
      this.total = 0;
      this.counts.clear();
    }
    const count = this.counts.get(network) ?? 0;
    if (this.total >= this.most.all || count >= this.most.each) throw tooMany(this.began + WINDOW_MS - now);
    this.total += 1;
    this.counts.set(network, count + 1);
  }
}

const tooMany = (waitMs: number): GuardError => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GuardError("rate_limit_exceeded", `Too many requests. Try again in ${seconds} s.`, {
    headers: { "retry-after": `${seconds}` },
  });
};
