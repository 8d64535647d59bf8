/* How fast what is kept grows, and how long the disk lasts. */

const DAY_MS = 86_400_000;
/** What is older says little of today's traffic. */
const WINDOW_MS = 28 * DAY_MS;
/** A line through less than a day would tell of the time of day. */
const MIN_SPAN_MS = DAY_MS;
const MIN_SAMPLES = 3;

/** What the data directory took at one moment, in bytes. */
export type StorageSample = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly database_bytes: number;
  /** Of the database: the index that calls are found by. */
  readonly index_bytes: number;
  readonly backup_bytes: number;
  readonly free_bytes: number;
};

export type StorageTrend = {
  readonly measured_days: number;
  /** Below zero where it shrinks. */
  readonly bytes_per_day: number;
  /** Until the disk is full at this rate; null where it does not grow. */
  readonly days_left: number | null;
};

const usedBy = ({ database_bytes, backup_bytes }: StorageSample): number => database_bytes + backup_bytes;

/**
 * The straight line that fits the last four weeks best (least squares), drawn out to the disk's end. Null while too
 * little was measured. Samples in any order.
 */
export const storageTrend = (samples: readonly StorageSample[], now: number): StorageTrend | null => {
  const young = samples.filter(({ at }) => at <= now && at > now - WINDOW_MS).sort((a, b) => a.at - b.at);
  const [first, last] = [young[0], young.at(-1)];
  if (!first || !last || young.length < MIN_SAMPLES || last.at - first.at < MIN_SPAN_MS) return null;
  // Counted from the first, so that no sum grows beyond what numbers hold exactly.
  const points = young.map((one) => ({ x: (one.at - first.at) / DAY_MS, y: usedBy(one) - usedBy(first) }));
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const bytes_per_day = Math.round(slope);
  return {
    measured_days: Math.round((last.at - first.at) / DAY_MS),
    bytes_per_day,
    days_left: bytes_per_day > 0 ? Math.floor(last.free_bytes / bytes_per_day) : null,
  };
};
