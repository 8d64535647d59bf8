import type { Heartbeat } from "./heartbeat";

/** Bytes or units up to which a text waits for its turn: a turn of many stays within some milliseconds. */
const LONGEST = 16_384;

/**
 * Scans of calls that are under way at the same time are done one after the other, with nothing between them: the
 * scanner's code and tables are larger than the nearest caches, and whatever else a call does pushes them out. No timer:
 * a scan waits for what has arrived already, and a lone call's for nothing.
 */
export class ScanTurns {
  private turn: Promise<void> | null = null;

  constructor(private readonly open: Pick<Heartbeat, "size">) {}

  /**
   * Does `work` with that of all who ask before the event loop's next turn: in order, and before any of them goes on.
   * What is long gains nothing by that, and is done at once. `length`: of the text to scan, about.
   */
  async take<T>(length: number, work: () => T): Promise<T> {
    if (length <= LONGEST && this.open.size > 1) await this.next();
    return work();
  }

  private next(): Promise<void> {
    this.turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.turn = null;
        resolve();
      });
    });
    return this.turn;
  }
}
