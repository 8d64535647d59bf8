import type { Connection } from "./connection";

/*
 * What has had its time can be much. It is dealt with a slice at a time, each in a short transaction of its own, on the
 * thread that serves calls: between two slices calls go on, and so does the thread that writes their records, which
 * waits for the same lock.
 */

const MIN_ROWS = 5;
const MAX_ROWS = 500;
/** What a slice may take before the next one is made smaller, and how little before it is made larger. */
const LONG_MS = 6;
const SHORT_MS = 3;
/** How long calls have the thread to themselves between two slices: so many times what the slice took, at least so long. */
const PAUSE_TIMES = 3;
const MIN_PAUSE_MS = 2;

/** `some` deals with so many rows at most and says whether there may be more. Ends early when the process is to end. */
export const inSlices = async (connection: Connection, some: (atMost: number) => boolean): Promise<void> => {
  for (let rows = 100; !connection.isStopping; ) {
    let took = 0;
    const isMore = await connection.writeSoon<boolean>(() => {
      const begun = performance.now();
      const more = some(rows);
      took = performance.now() - begun;
      return more;
    });
    if (!isMore) return;
    if (took > LONG_MS) rows = Math.max(MIN_ROWS, Math.floor(rows / 2));
    else if (took < SHORT_MS) rows = Math.min(MAX_ROWS, Math.ceil(rows * 1.5));
    await Bun.sleep(Math.max(MIN_PAUSE_MS, PAUSE_TIMES * took));
  }
};

/** The same where `some` says with how many rows it did. Returns the sum. */
export const inBatches = async (connection: Connection, some: (atMost: number) => number): Promise<number> => {
  let total = 0;
  await inSlices(connection, (atMost) => {
    const count = some(atMost);
    total += count;
    return count >= atMost;
  });
  return total;
};
