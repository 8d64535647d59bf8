const MINUTE_MS = 60_000;

export type MinuteState = { readonly start: number; readonly before: number; readonly current: number };

/**
 * A sliding minute, kept as two fixed ones: of the one before, the part that still reaches in counts with its share.
 * What is used never exceeds a limit that every addition was checked against, in no fixed minute either.
 */
export class Minute {
  private start = 0;
  private before = 0;
  private current = 0;

  static of({ start, before, current }: MinuteState): Minute {
    return Object.assign(new Minute(), { start, before, current });
  }

  /** To go on from somewhere else. */
  get state(): MinuteState {
    return { start: this.start, before: this.before, current: this.current };
  }

  used(now: number): number {
    this.turn(now);
    const share = 1 - Math.max(0, now - this.start) / MINUTE_MS;
    return this.before * share + this.current;
  }

  add(now: number, amount: number): void {
    this.turn(now);
    this.current += amount;
  }

  /** Takes back some of what was added at `then`, out of the minute it was added in. */
  giveBack(now: number, then: number, amount: number): void {
    this.turn(now);
    const start = then - (then % MINUTE_MS);
    if (start === this.start) this.current = Math.max(0, this.current - amount);
    else if (start === this.start - MINUTE_MS) this.before = Math.max(0, this.before - amount);
  }

  /** Milliseconds until `amount` more fits under `limit` when nobody else comes; infinite when it never does. */
  waitFor(now: number, amount: number, limit: number): number {
    const over = this.used(now) + amount - limit;
    if (over <= 0) return 0;
    if (amount > limit) return Number.POSITIVE_INFINITY;
    const left = MINUTE_MS - (now - this.start);
    if (this.before > 0 && over <= this.before * (left / MINUTE_MS)) return Math.ceil((over / this.before) * MINUTE_MS);
    // Not in this minute: in the next one, what was used in this one counts with its share.
    const still = Math.max(0, this.current + amount - limit);
    return left + (still === 0 ? 0 : Math.ceil((still / this.current) * MINUTE_MS));
  }

  /** Milliseconds until nothing of what was used counts any more. */
  resetIn(now: number): number {
    this.turn(now);
    const left = MINUTE_MS - (now - this.start);
    if (this.current > 0) return left + MINUTE_MS;
    return this.before > 0 ? left : 0;
  }

  private turn(now: number): void {
    const start = now - (now % MINUTE_MS);
    // A clock that is set back begins no new minute, for what was used would be forgotten. It counts on in the one it shows.
    if (start <= this.start) {
      if (start < this.start - MINUTE_MS) this.start = start;
      return;
    }
    this.before = start - this.start === MINUTE_MS ? this.current : 0;
    this.current = 0;
    this.start = start;
  }
}
