import { TRAFFIC_SPANS, type TrafficSpan } from "#store/call-index-port";
import { KEPT_MS } from "#store/traffic-spans";

/*
 * Which buckets a period is shown in, and from which counters they are summed. Buckets of two hours and more begin at whole
 * hours of the viewer's clock, days at midnight there, also where clocks are changed: a day may have 23 or 25 hours.
 */

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

export const WINDOWS = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "90d": 90 * DAY } as const;
export type Window = keyof typeof WINDOWS;

/** A period is no longer than this: a quarter of a year, and what changed clocks add. */
export const MAX_PERIOD_MS = 93 * DAY;
/** As many bars as a screen shows side by side. */
const MAX_BUCKETS = 100;
/** How wide a bucket may be. */
const STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY] as const;
/** Counters that are about to be forgotten are not relied on. */
const MARGIN_MS = HOUR;

/** Moments are Unix milliseconds. */
export type Period = {
  /** Where buckets begin, ascending, and at last where the last one ends. */
  readonly edges: readonly number[];
  /** How wide a bucket is as a rule. */
  readonly stepMs: number;
  /** Counters of this span lie in one bucket each. */
  readonly span: TrafficSpan;
};

/** What is asked for: a window up to now, or from one moment to another. */
export type WantedPeriod = Window | { readonly from: number; readonly to: number };

type Place = { readonly timeZone: string; readonly now: number };

const floorTo = (moment: number, span: number): number => moment - (((moment % span) + span) % span);
const ceilTo = (moment: number, span: number): number => -floorTo(-moment, span);

/** Whether a text names a time zone: `Europe/Berlin`, `UTC`, `+05:30`. */
export const isTimeZone = (text: string): boolean => {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId !== "";
  } catch {
    return false; // A RangeError, which is how it is said that there is no such zone.
  }
};

const at = (moment: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone);

/** The finest counters that are still there as of a moment. */
const finestAt = (since: number, now: number): TrafficSpan => {
  const kept = KEPT_MS.find(([, ms]) => since >= now - ms + MARGIN_MS);
  return kept?.[0] ?? HOUR;
};

/** Where buckets begin in (after, upTo], on the viewer's clock. Rounded down to what is counted. */
const edgesIn = (after: number, upTo: number, stepMs: number, base: number, timeZone: string): number[] => {
  if (stepMs <= HOUR) {
    const first = floorTo(after, stepMs) + stepMs;
    return Array.from({ length: Math.max(0, Math.floor((upTo - first) / stepMs) + 1) }, (_, n) => first + n * stepMs);
  }
  const edges = new Set<number>();
  let day = at(after, timeZone).toPlainDate();
  for (; ; day = day.add({ days: 1 })) {
    for (let hour = 0; hour < 24; hour += stepMs / HOUR) {
      // Midnight that is skipped, or an hour that comes twice: the first moment that the clock has shown it or passed it.
      const zoned = day.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from({ hour }) });
      const edge = floorTo(zoned.epochMilliseconds, base);
      if (edge > upTo) return [...edges].sort((one, other) => one - other);
      if (edge > after) edges.add(edge);
    }
  }
};

/** The coarsest counters of which each lies in one bucket. */
const spanOf = (edges: readonly number[], base: TrafficSpan): TrafficSpan =>
  TRAFFIC_SPANS.findLast((span) => span >= base && edges.every((edge) => edge % span === 0)) ?? base;

const periodOf = (edges: readonly number[], stepMs: number, base: TrafficSpan): Period => ({
  edges,
  stepMs,
  span: spanOf(edges, base),
});

/**
 * A period and, bucket for bucket, the one before: as long before, or as many days before on the viewer's clock where buckets
 * follow it. Both are counted by what is kept of the earlier one.
 */
export const periodsOf = (
  wanted: WantedPeriod,
  { timeZone, now }: Place,
): { readonly period: Period; readonly before: Period; readonly beforeUntil: number } => {
  const { from, to } =
    typeof wanted === "string"
      ? { from: beginOf(wanted, { timeZone, now }), to: now }
      : { from: wanted.from, to: Math.min(wanted.to, now) };
  const length = Math.max(to - from, MINUTE);
  const base = finestAt(from - length, now);
  const stepMs = STEPS.find((step) => step >= base && length / step <= MAX_BUCKETS) ?? DAY;
  const edges = typeof wanted === "string" ? windowEdges() : customEdges();
  const first = edges[0] ?? from;
  const last = edges.at(-1) ?? to;
  const days = daysIn(first, last, timeZone);
  const earlier = (moment: number): number =>
    stepMs <= HOUR ? moment - (last - first) : Math.min(first, floorTo(daysBefore(moment, days, timeZone), base));
  const before = edges.map(earlier);
  return {
    period: periodOf(edges, stepMs, base),
    before: periodOf(before, stepMs, base),
    beforeUntil: earlier(Math.min(last, ceilTo(now + 1, base))),
  };

  /** Whole buckets, the last of which is the present one. */
  function windowEdges(): number[] {
    const found = edgesIn(from, to + 2 * DAY, stepMs, base, timeZone);
    return found.slice(0, found.findIndex((edge) => edge > to) + 1);
  }
  /** What was asked for, to the counter. */
  function customEdges(): number[] {
    const [begin, end] = [floorTo(from, base), Math.max(ceilTo(to, base), floorTo(from, base) + base)];
    return [begin, ...edgesIn(begin, end - 1, stepMs, base, timeZone), end];
  }
};

/** Days and weeks are those of the viewer's clock. */
const beginOf = (window: Window, { timeZone, now }: Place): number => {
  const ms = WINDOWS[window];
  return ms <= DAY ? now - ms : at(now, timeZone).subtract({ days: ms / DAY }).epochMilliseconds;
};

/** What the clock showed so many days before; where a day begins, where that day began, even if midnight was skipped. */
const daysBefore = (moment: number, days: number, timeZone: string): number => {
  const zoned = at(moment, timeZone);
  const earlier = zoned.subtract({ days });
  return (zoned.equals(zoned.startOfDay()) ? earlier.startOfDay() : earlier).epochMilliseconds;
};

/** Days on the viewer's clock, one that is begun among them. */
const daysIn = (from: number, to: number, timeZone: string): number => {
  const { days, ...rest } = fieldsOf(at(from, timeZone).until(at(to, timeZone), { largestUnit: "days" }));
  return Math.max(1, days + (Object.values(rest).some((part) => part > 0) ? 1 : 0));
};

const fieldsOf = ({ days, hours, minutes, seconds, milliseconds }: Temporal.Duration) => ({
  ...{ days, hours, minutes, seconds, milliseconds },
});

/** Part of a period, as counters of one span. */
export type Part = { readonly span: TrafficSpan; readonly since: number; readonly until: number };

/** The fewest counters that make up [since, until), none of them finer than `finest`. */
export const partsOf = (
  since: number,
  until: number,
  finest: TrafficSpan,
  spans: readonly TrafficSpan[] = TRAFFIC_SPANS,
): Part[] => {
  const span = spans.at(-1);
  if (span === undefined || since >= until) return [];
  const [from, to] = [ceilTo(since, span), floorTo(until, span)];
  const finer = spans.slice(0, -1);
  if (span <= finest) return [{ span, since: floorTo(since, span), until: ceilTo(until, span) }];
  if (from >= to) return partsOf(since, until, finest, finer);
  return [
    ...partsOf(since, from, finest, finer),
    { span, since: from, until: to },
    ...partsOf(to, until, finest, finer),
  ];
};
