import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bucketedAtEdges, readAtEdges } from "#features/overview/edges";
import { MAX_PERIOD_MS, type Part, partsOf, periodsOf, type WantedPeriod, WINDOWS } from "#features/overview/periods";
import { bucketed, groupsOf, seriesOf, sumOf } from "#features/overview/traffic";
import { TRAFFIC_SPANS, type TrafficBucket } from "#store/call-index-port";
import { verifies } from "#test/support/verifies";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Whole hours, half ones, changed by half an hour, changed at midnight, and none of it. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe"],
  ...["Africa/Cairo", "America/Santiago", "Pacific/Apia", "+05:30"],
] as const;
/** Several years, so that clocks are changed everywhere. */
const NOW = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) });
const ZONE = fc.constantFrom(...ZONES);
const WINDOW = fc.constantFrom(...(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]));
const CUSTOM = fc.tuple(fc.nat(400 * DAY), fc.integer({ min: 1, max: MAX_PERIOD_MS }));

const wantedOf = (now: number, asked: keyof typeof WINDOWS | readonly [number, number]): WantedPeriod => {
  if (typeof asked === "string") return asked;
  const [ago, length] = asked;
  return { from: now - ago - 1, to: now - ago - 1 + length };
};

const lengthsOf = (edges: readonly number[]): number[] => edges.slice(1).map((edge, n) => edge - (edges[n] ?? 0));

describe("periods of the overview", () => {
  test("are cut into buckets without gaps, few enough to be seen, in any time zone and over changed clocks", () => {
    verifies("traffic.periods");
    fc.assert(
      fc.property(NOW, ZONE, fc.oneof(WINDOW, CUSTOM), (now, timeZone, asked) => {
        const wanted = wantedOf(now, asked);
        const { period, before } = periodsOf(wanted, { timeZone, now });
        const lengths = lengthsOf(period.edges);
        expect(lengths.length).toBeGreaterThan(0);
        expect(lengths.length).toBeLessThanOrEqual(103);
        for (const length of lengths) expect(length).toBeGreaterThan(0);
        // What is counted by these counters lies in one bucket.
        for (const edge of [...period.edges, ...before.edges]) expect(edge % MINUTE).toBe(0);
        for (const edge of period.edges) expect(edge % period.span).toBe(0);
        for (const edge of before.edges) expect(edge % before.span).toBe(0);
        const [first = 0, last = 0] = [period.edges[0], period.edges.at(-1)];
        const { from, to } = typeof wanted === "string" ? { from: now, to: now } : wanted;
        expect(first).toBeLessThanOrEqual(from);
        expect(last).toBeGreaterThanOrEqual(Math.min(to, now));
      }),
      { numRuns: 400 },
    );
  });

  test("begin their days at midnight of the viewer's clock, also where a day has 23 or 25 hours", () => {
    verifies("traffic.periods");
    const zone = fc.constantFrom("Europe/Berlin", "America/New_York", "UTC", "America/Santiago", "Africa/Cairo");
    fc.assert(
      fc.property(NOW, zone, fc.constantFrom("30d" as const, "90d" as const), (now, timeZone, window) => {
        const { period, before } = periodsOf(window, { timeZone, now });
        for (const edge of [...period.edges, ...before.edges]) {
          const zoned = Temporal.Instant.fromEpochMilliseconds(edge).toZonedDateTimeISO(timeZone);
          // Midnight may be skipped: then the day begins when the clock goes on.
          const isDay = zoned.startOfDay().epochMilliseconds === edge;
          expect(isDay || (period.stepMs < DAY && zoned.minute === 0 && zoned.hour % 12 <= 1)).toBe(true);
        }
        if (period.stepMs === DAY) expect(period.edges).toHaveLength(91);
      }),
      { numRuns: 200 },
    );
    const lengths = lengthsOf(
      periodsOf("90d", { timeZone: "Europe/Berlin", now: Date.UTC(2026, 10, 26) }).period.edges,
    );
    expect(lengths.filter((length) => length === 25 * HOUR)).toHaveLength(1);
    expect(lengths.filter((length) => length === 24 * HOUR)).toHaveLength(89);
  });

  test("stand beside the one before bucket for bucket, which never reaches into them", () => {
    verifies("traffic.compared");
    fc.assert(
      fc.property(NOW, ZONE, fc.oneof(WINDOW, CUSTOM), (now, timeZone, asked) => {
        const { period, before, beforeUntil } = periodsOf(wantedOf(now, asked), { timeZone, now });
        expect(before.edges).toHaveLength(period.edges.length);
        for (const length of lengthsOf(before.edges)) expect(length).toBeGreaterThanOrEqual(0);
        expect(before.edges.at(-1)).toBeLessThanOrEqual(period.edges[0] ?? 0);
        expect(beforeUntil).toBeLessThanOrEqual(before.edges.at(-1) ?? 0);
        expect(beforeUntil).toBeGreaterThanOrEqual(before.edges[0] ?? 0);
      }),
      { numRuns: 400 },
    );
  });

  test("are made up of counters of several spans, each moment of them once", () => {
    verifies("traffic.periods");
    fc.assert(
      fc.property(NOW, ZONE, fc.oneof(WINDOW, CUSTOM), (now, timeZone, asked) => {
        const { period } = periodsOf(wantedOf(now, asked), { timeZone, now });
        const [since = 0, until = 0] = [period.edges[0], period.edges.at(-1)];
        const parts = partsOf(since, until, period.span);
        expect(parts.length).toBeLessThanOrEqual(2 * TRAFFIC_SPANS.length);
        expect([parts[0]?.since, parts.at(-1)?.until]).toEqual([since, until]);
        for (const [n, part] of parts.entries()) expect(isSound(part, parts[n + 1], period.span)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

/** It begins and ends with counters of its span, none finer than asked for, and the next begins where it ends. */
const isSound = ({ span, since, until }: Part, next: Part | undefined, finest: number): boolean =>
  since < until && since % span === 0 && until % span === 0 && span >= finest && (next?.since ?? until) === until;

/** What is counted of each hour, and of each day. */
const HOURS = fc.array(fc.record({ hour: fc.nat(60 * 24), calls: fc.integer({ min: 1, max: 9 }) }), { maxLength: 80 });
const counted = (at: number, span: number, calls: number): TrafficBucket => ({
  at: at - (at % span),
  counts: new Map([["calls", calls]]),
});

test("buckets of days are the same whether they are summed from hours or from days and the hours at their edges", () => {
  verifies("traffic.periods", "traffic.adds-up");
  const begin = Date.UTC(2026, 1, 1);
  fc.assert(
    fc.property(HOURS, fc.uniqueArray(fc.nat(60 * 24), { minLength: 2, maxLength: 20 }), (hours, cuts) => {
      const edges = cuts.sort((one, other) => one - other).map((hour) => begin + hour * HOUR);
      const byHour = hours.map(({ hour, calls }) => counted(begin + hour * HOUR, HOUR, calls));
      const byDay = hours.map(({ hour, calls }) => counted(begin + hour * HOUR, DAY, calls));
      const wanted = readAtEdges(edges);
      const read = bucketedAtEdges(
        byDay.filter(({ at }) => at >= wanted.days.since && at < wanted.days.until),
        byHour.filter(({ at }) => wanted.hours.includes(at)),
        edges,
      );
      expect(wanted.hours.length).toBeLessThanOrEqual(12 * edges.length);
      expect(read.map((sum) => sum.get("calls"))).toEqual(bucketed(byHour, edges).map((sum) => sum.get("calls")));
    }),
    { numRuns: 500 },
  );
});

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;
type Call = { readonly at: number; readonly agent: (typeof NAMES)[number] | null; readonly cost: number };
const CALLS: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    at: fc.nat(30 * DAY),
    agent: fc.option(fc.constantFrom(...NAMES)),
    cost: fc.nat(1_000_000_000_000),
  }),
  { maxLength: 60 },
);

/** Counters of an hour for each call. */
const hoursOf = (calls: readonly Call[], since: number): TrafficBucket[] =>
  calls.map(({ at, agent, cost }) => ({
    at: since + at - ((since + at) % HOUR),
    counts: new Map([
      ["calls", 1],
      ["decision.allow", 1],
      ["cost", cost],
      ...(agent === null
        ? []
        : ([
            [`agent.${agent}`, 1],
            [`agent_cost.${agent}`, cost],
          ] as const)),
    ]),
  }));

test("buckets, groups and totals of traffic add up, whatever is told apart", () => {
  verifies("traffic.adds-up");
  fc.assert(
    fc.property(CALLS, NOW, fc.subarray([...NAMES]), fc.constantFrom("calls" as const, "cost" as const), check),
    { numRuns: 200 },
  );
});

const check = (calls: readonly Call[], now: number, seen: readonly string[], measure: "calls" | "cost"): void => {
  const { period } = periodsOf("30d", { timeZone: "Europe/Berlin", now });
  const [since = 0, end = 0] = [period.edges[0], period.edges.at(-1)];
  const rows = hoursOf(calls, since).filter(({ at }) => at < end);
  const sums = bucketed(rows, period.edges);
  const series = seriesOf(sums, period.edges);
  const total = sumOf(rows);
  expect(series.reduce((sum, one) => sum + one.calls, 0)).toBe(total.get("calls") ?? 0);
  const nano = (usd: number) => Math.round(usd * 1e9);
  expect(series.reduce((sum, one) => sum + nano(one.cost_usd), 0)).toBe(total.get("cost") ?? 0);
  const groups = groupsOf(sums, { by: "agent", measure }, (id) => (seen.includes(id) ? `agent ${id}` : null));
  const whole = (value: number) => (measure === "cost" ? nano(value) : value);
  for (const [bucket, one] of series.entries()) {
    const parts = groups.reduce((sum, { values }) => sum + whole(values[bucket] ?? 0), 0);
    if (groups.length > 0) expect(parts).toBe(whole(measure === "cost" ? one.cost_usd : one.calls));
  }
  // What may not be named is in no group but the others.
  for (const { id } of groups) expect(id === null || seen.includes(id)).toBe(true);
  for (const group of groups)
    expect(group.values.reduce((sum, value) => sum + whole(value), 0)).toBe(whole(group.total));
};
