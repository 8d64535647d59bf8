import { LOCALE } from "./numbers";

/** What a chart over time shows: parts of one bar, one on the other in this order, or a line. */
export type ChartSeries = {
  readonly name: string;
  /** A variable of the style sheet: `--chart-1`. */
  readonly colour: string;
  /** One for each start. Null: not known. */
  readonly values: readonly (number | null)[];
  readonly kind?: "bar" | "line";
};

/** The same some time earlier, bar for bar. */
export type ChartBefore = {
  readonly name: string;
  readonly starts: readonly number[];
  readonly values: readonly (number | null)[];
};

export type ChartData = {
  /** When each bucket begins, or each value was measured, Unix milliseconds; ascending. */
  readonly starts: readonly number[];
  /** When the last bucket ends. */
  readonly end: number;
  readonly series: readonly ChartSeries[];
  readonly before?: ChartBefore | undefined;
  /** What all bars of one bucket are together, such as `Calls`; not given where they have no sum. */
  readonly total?: string | undefined;
};

export const barsOf = ({ series }: Pick<ChartData, "series">): readonly ChartSeries[] =>
  series.filter(({ kind = "bar" }) => kind === "bar");

/** How high each series stands on those below it. */
export const stacked = (bars: readonly ChartSeries[], length: number): number[][] => {
  const below = Array.from({ length }, () => 0);
  return bars.map(({ values }) =>
    below.map((sum, index) => {
      const top = sum + (values[index] ?? 0);
      below[index] = top;
      return top;
    }),
  );
};

/** The sum of the bars of one bucket. */
export const sumAt = (bars: readonly ChartSeries[], index: number): number =>
  bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);

/** The bucket that a moment is in, the nearest at both ends. */
export const bucketAt = (starts: readonly number[], moment: number): number => {
  const after = starts.findIndex((start) => start > moment);
  return Math.max(0, (after < 0 ? starts.length : after) - 1);
};

/** What was measured nearest to a moment. */
export const nearestTo = (starts: readonly number[], moment: number): number => {
  const at = bucketAt(starts, moment);
  const [before = 0, after] = [starts[at], starts[at + 1]];
  return after !== undefined && after - moment < moment - before ? at + 1 : at;
};

/** From the first of some buckets to the end of the last, in whichever order they were chosen. */
export const spanOfBuckets = (
  { starts, end }: Pick<ChartData, "starts" | "end">,
  one: number,
  other: number,
): { readonly from: number; readonly to: number } => ({
  from: starts[Math.min(one, other)] ?? end,
  to: starts[Math.max(one, other) + 1] ?? end,
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const clock = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(LOCALE, { weekday: "short", day: "numeric", month: "short" });
const dayClock = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

const isMidnight = (at: number): boolean => {
  const date = new Date(at);
  return date.getHours() === 0 && date.getMinutes() === 0;
};

/** `Thu, Nov 26`, `Nov 26, 10:00 – 10:15`, as the viewer's clock has it. */
export const spanText = ({ from, to }: { readonly from: number; readonly to: number }): string => {
  // A day has 23 or 25 hours where clocks are changed.
  const days = isMidnight(from) && isMidnight(to) && to - from > DAY - 2 * HOUR;
  if (!days) return to === from ? dayClock.format(from) : dayClock.formatRange(from, to);
  const last = to - 12 * HOUR;
  return day.format(from) === day.format(last) ? day.format(from) : day.formatRange(from, last);
};

/** Where a time axis is labelled: the day where it begins, and below the first. `ticks` are Unix milliseconds. */
export const tickTexts = (ticks: readonly number[]): string[] => {
  const apart = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const short = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
  let before = "";
  return ticks.map((tick) => {
    const today = short.format(tick);
    const isNew = today !== before;
    before = today;
    if (apart > DAY - 2 * HOUR) return today;
    return isNew ? `${clock.format(tick)}\n${today}` : clock.format(tick);
  });
};

/** Pixels that one of these labels takes, with some air. */
export const TICK_PX = clock.resolvedOptions().hour12 ? 78 : 60;

/** Where a key leads to from a bucket, or from none, of so many; undefined for a key that leads nowhere. */
export const movedBy = (key: string, at: number | null, count: number): number | undefined => {
  const last = count - 1;
  const far = Math.max(1, Math.round(count / 10));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: at === null ? last : at - 1,
    ArrowRight: at === null ? 0 : at + 1,
    PageUp: (at ?? 0) - far,
    PageDown: (at ?? 0) + far,
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(last, Math.max(0, to));
};
