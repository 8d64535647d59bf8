import type { OpenCalls } from "./open-calls";

/** Bytes or units up to which a text waits for its batch: a batch of many stays within some milliseconds. */
const MAX_LENGTH = 16_384;
/** Bytes or units of text in one batch: with the dearest texts some tens of milliseconds, with common ones two. */
const MAX_IN_BATCH = 16_384;

/**
 * Scans of calls that are under way at the same time are done one after the other, with nothing between them: the
 * scanner's code and tables are larger than the nearest caches, and whatever else a call does pushes them out. No timer:
 * a scan waits for what has arrived already, and a lone call's for nothing.
 */
export class ScanBatcher {
  private batch: Promise<void> | null = null;
  private inBatch = 0;

  constructor(private readonly open: Pick<OpenCalls, "size">) {}

  /**
   * Does `work` with that of all who ask before the event loop's next turn: in order, and before any of them goes on.
   * What is long gains nothing by that, and is done at once. `length`: of the text to scan, about.
   */
  run<T>(length: number, work: () => T | Promise<T>): T | Promise<T> {
    return length <= MAX_LENGTH && this.open.size > 1 ? this.next(length).then(work) : work();
  }

  /** What is too much for one batch waits for the one after it. */
  private next(length: number): Promise<void> {
    if (this.batch === null || this.inBatch + length > MAX_IN_BATCH) {
      const before = this.batch;
      const batch: Promise<void> = (before ?? Promise.resolve()).then(nextLoopTurn).then(() => {
        if (this.batch === batch) this.batch = null;
      });
      this.batch = batch;
      this.inBatch = 0;
    }
    this.inBatch += length;
    return this.batch;
  }
}

const nextLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
