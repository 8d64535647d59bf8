import { expect, test } from "bun:test";
import fc from "fast-check";
import { windowEnd, windowStart } from "#model/budget";
import { type DaySpend, expectedAt, FORECAST_DAYS, MIN_FORECAST_DAYS, rateOf } from "#model/spend-forecast";
import { verifies } from "#test/support/verifies";

const DAY = 86_400_000;
const NOW = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) });
const NANO = fc.nat(1_000_000_000_000);

/** Costs of the last days, today's first; null for a day without any. */
const daysBefore = (now: number, costs: readonly (number | null)[]): DaySpend[] =>
  costs.flatMap((nano, ago) => (nano === null ? [] : [{ day: now - (now % DAY) - ago * DAY, nano }]));

test("a forecast is the mean of the last whole days: neither today nor the first day that is known", () => {
  verifies("money.forecast");
  fc.assert(
    fc.property(NOW, fc.array(fc.option(NANO), { maxLength: 40 }), (now, costs) => {
      const rate = rateOf(daysBefore(now, costs), now);
      const oldest = costs.findLastIndex((nano) => nano !== null);
      const whole = Math.min(FORECAST_DAYS, oldest - 1);
      if (whole < MIN_FORECAST_DAYS) return expect(rate).toBeNull();
      const sum = costs.slice(1, whole + 1).reduce<number>((all, nano) => all + (nano ?? 0), 0);
      expect(rate).toEqual({ days: whole, nanoPerDay: sum / whole });
    }),
  );
  const now = Date.UTC(2026, 10, 26, 12);
  expect(rateOf([], now)).toBeNull();
  expect(rateOf(daysBefore(now, [5, 5, 5]), now)).toBeNull();
  expect(rateOf(daysBefore(now, [900, 2, 4, 6, 900]), now)).toEqual({ days: 3, nanoPerDay: 4 });
});

test("what is expected is never less than what is spent, and is what is spent when nothing is left of the window", () => {
  verifies("money.forecast");
  fc.assert(
    fc.property(NOW, NANO, fc.integer({ min: 3, max: 7 }), NANO, (now, spent, days, perDay) => {
      for (const period of ["day", "week", "month"] as const) {
        const end = windowEnd(period, windowStart(period, now));
        const expected = expectedAt(end, { spent, now }, { days, nanoPerDay: perDay });
        expect(Number.isSafeInteger(expected)).toBe(true);
        expect(expected).toBeGreaterThanOrEqual(spent);
        expect(expected - spent).toBeLessThanOrEqual(Math.round((perDay * (end - now)) / DAY) + 1);
        expect(expectedAt(end, { spent, now: end }, { days, nanoPerDay: perDay })).toBe(spent);
      }
    }),
  );
  const now = Date.UTC(2026, 10, 26, 12);
  // 4.5 days are left of November.
  expect(expectedAt(Date.UTC(2026, 11, 1), { spent: 100, now }, { days: 3, nanoPerDay: 4 })).toBe(118);
});
