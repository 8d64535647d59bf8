import { Histogram, type HistogramReading } from "#core/metrics";

/** How often the event loop is asked whether it comes round in time. Milliseconds. */
export const PROBE_MS = 20;

/* Bounds in seconds. */
const BOUNDS = [0.001, 0.002_5, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const SECOND_MS = 1_000;
/** How far back `recentMaxMs` looks. */
const RECENT_SECONDS = 60;

/**
 * How much later than due the event loop comes round: what every call, health check and revocation waits beside its own
 * work. A job calls `tick` every `PROBE_MS`.
 */
export class LoopDelay {
  readonly #delays = new Histogram(BOUNDS);
  /** The longest delay of each of the last seconds, by second modulo their number. */
  readonly #longest = new Float64Array(RECENT_SECONDS);
  #last: number | null = null;
  #second = 0;

  /** `now`: milliseconds of a clock that only goes forward. */
  tick(now: number): void {
    const delay = this.#last === null ? 0 : Math.max(0, now - this.#last - PROBE_MS);
    this.#last = now;
    this.#delays.observe(delay / SECOND_MS);
    const second = Math.floor(now / SECOND_MS);
    // A delay of many seconds skips them: what stands there is old.
    for (let past = Math.max(this.#second + 1, second - RECENT_SECONDS + 1); past <= second; past += 1) {
      this.#longest[past % RECENT_SECONDS] = 0;
    }
    this.#second = second;
    const at = second % RECENT_SECONDS;
    this.#longest[at] = Math.max(this.#longest[at] ?? 0, delay);
  }

  /** Seconds. */
  read(): HistogramReading {
    return this.#delays.read();
  }

  /** The longest of the last minute. */
  get recentMaxMs(): number {
    return Math.max(...this.#longest);
  }
}
