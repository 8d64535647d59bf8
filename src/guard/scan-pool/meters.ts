import { Histogram, type HistogramReading } from "#core/metrics";

export type PoolFigures = {
  readonly threads: number;
  readonly busy: number;
  readonly waitingJobs: number;
  readonly admittedCalls: number;
  /** UTF-16 units of the texts of those calls. */
  readonly admittedUnits: number;
  /** Seconds from being asked for to a thread's taking it. */
  readonly waited: HistogramReading;
  /** Calls refused because the queue was full. */
  readonly refused: number;
  /** Threads that died or hung. */
  readonly lost: number;
};

/* Bounds in seconds. */
const WAIT_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What happened in the scan pool since the start. */
export class PoolMeters {
  readonly #waited = new Histogram(WAIT_BOUNDS);
  #refused = 0;
  #lost = 0;

  waited(seconds: number): void {
    this.#waited.observe(seconds);
  }
  refused(): void {
    this.#refused += 1;
  }
  lost(): void {
    this.#lost += 1;
  }
  read(): Pick<PoolFigures, "waited" | "refused" | "lost"> {
    return { waited: this.#waited.read(), refused: this.#refused, lost: this.#lost };
  }
}
