import type { Db, Steps } from "#store/db";

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

type Upkeep = Pick<Db, "isStopping" | "blocks">;

/** `slice` deals with so many rows at most, and says whether there may be more and how long it held the thread. */
export const paced = async (
  upkeep: Upkeep,
  slice: (atMost: number) => Promise<{ readonly isMore: boolean; readonly took: number }>,
): Promise<void> => {
  for (let rows = upkeep.blocks ? 100 : MAX_ROWS; !upkeep.isStopping; ) {
    const { isMore, took } = await slice(rows);
    if (!isMore) return;
    if (!upkeep.blocks) continue;
    if (took > LONG_MS) rows = Math.max(MIN_ROWS, Math.floor(rows / 2));
    else if (took < SHORT_MS) rows = Math.min(MAX_ROWS, Math.ceil(rows * 1.5));
    await Bun.sleep(Math.max(MIN_PAUSE_MS, PAUSE_TIMES * took));
  }
};

/** `some` deals with so many rows at most and says whether there may be more. Ends early when the process is to end. */
export const inSlices = (db: Db, some: (atMost: number) => Steps<boolean>): Promise<void> =>
  paced(db, (rows) =>
    db.tx(function* () {
      const begun = performance.now();
      const isMore = yield* some(rows);
      return { isMore, took: performance.now() - begun };
    }),
  );

/** The same where `some` says with how many rows it did. Returns the sum. */
export const inBatches = async (db: Db, some: (atMost: number) => Steps<number>): Promise<number> => {
  let total = 0;
  await inSlices(db, function* (atMost) {
    const count = yield* some(atMost);
    total += count;
    return count >= atMost;
  });
  return total;
};
