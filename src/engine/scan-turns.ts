import type { Heartbeat } from "./heartbeat";

/** Bytes or units up to which a text waits for its turn: a turn of many stays within some milliseconds. */
const LONGEST = 16_384;
/** Bytes or units of text in one turn: with the dearest texts some tens of milliseconds, with common ones two. */
const MAX_IN_TURN = 16_384;

/**
 * Scans of calls that are under way at the same time are done one after the other, with nothing between them: the
 * scanner's code and tables are larger than the nearest caches, and whatever else a call does pushes them out. No timer:
 * a scan waits for what has arrived already, and a lone call's for nothing.
 */
export class ScanTurns {
  private turn: Promise<void> | null = null;
  private inTurn = 0;

  constructor(private readonly open: Pick<Heartbeat, "size">) {}

  /**
   * Does `work` with that of all who ask before the event loop's next turn: in order, and before any of them goes on.
   * What is long gains nothing by that, and is done at once. `length`: of the text to scan, about.
   */
  async take<T>(length: number, work: () => T): Promise<T> {
    if (length <= LONGEST && this.open.size > 1) await this.next(length);
    return work();
  }

  /** What is too much for one turn waits for the one after it. */
  private next(length: number): Promise<void> {
    if (this.turn === null || this.inTurn + length > MAX_IN_TURN) {
      const before = this.turn;
      const turn: Promise<void> = (before ?? Promise.resolve()).then(nextTurn).then(() => {
        if (this.turn === turn) this.turn = null;
      });
      this.turn = turn;
      this.inTurn = 0;
    }
    this.inTurn += length;
    return this.turn;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
