import type { OpenCalls } from "./open-calls";

/** Bytes or units up to which a text waits for its batch: with the dearest texts such a scan takes some milliseconds. */
const MAX_LENGTH = 16_384;
/** After so long a batch begins no further scan, so that others get their turn: those of a hundred usual texts. */
const MAX_BATCH_MS = 5;

/**
 * Scans of calls that are under way at the same time are done one after the other, with nothing between them: the
 * scanner's code and tables are larger than the nearest caches, and whatever else a call does pushes them out. No timer:
 * a scan waits for what has arrived already, and a lone call's for nothing.
 */
export class ScanBatcher {
  private waiting: (() => void)[] = [];

  constructor(
    private readonly open: Pick<OpenCalls, "size">,
    /** Milliseconds of a clock that only goes forward. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Does `work` with that of all who ask before the event loop's next turn: in order, and before any of them goes on.
   * What is long gains nothing by that, and is done at once. `length`: of the text to scan, about.
   */
  run<T>(length: number, work: () => T | Promise<T>): T | Promise<T> {
    if (length > MAX_LENGTH || this.open.size <= 1) return work();
    return new Promise<T>((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(this.doBatch);
      this.waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  private readonly doBatch = (): void => {
    const end = this.now() + MAX_BATCH_MS;
    const batch = this.waiting;
    let done = 0;
    for (const work of batch) {
      if (done > 0 && this.now() > end) break;
      work();
      done += 1;
    }
    // What is too much for one batch is first in the next.
    this.waiting = batch.slice(done);
    if (this.waiting.length > 0) setImmediate(this.doBatch);
  };
}
