import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Band, bandOf, healthOf, nextBand } from "#model/health/health";
import { GOVERNANCE_FAULTS, SEVERITIES } from "#model/health/health-inputs";
import { NOW, situation, TABLE } from "#test/simulate/health-table";
import { verifies } from "#test/support/verifies";

describe("the formula", () => {
  test.each(TABLE)("%s", (_name, told, score, band, weakest, caps) => {
    verifies("health.formula");
    const health = healthOf(situation(told));
    expect(Math.abs((health.score ?? -1) - score)).toBeLessThanOrEqual(1);
    expect(bandOf(health.score ?? -1)).toBe(band);
    expect(health.caps.map(({ code }) => code)).toEqual(caps);
    const lowest = health.inputs.toSorted((a, b) => a.score - b.score)[0];
    if (weakest === null) expect(lowest?.score).toBe(1);
    else expect(lowest?.key).toBe(weakest);
  });

  test("weights add up to one", () => {
    const weight = healthOf(situation({})).inputs.reduce((sum, input) => sum + input.weight, 0);
    expect(weight).toBeCloseTo(1, 10);
  });

  test("too few calls give no score, few give one with little confidence", () => {
    verifies("health.too-little");
    const of = (calls: number) => healthOf(situation({ counts: { calls } }));
    expect([of(49).score, of(49).confidence]).toEqual([null, "none"]);
    expect([of(50).score, of(50).confidence, of(199).confidence]).toEqual([100, "low", "low"]);
    expect(of(200).confidence).toBe("high");
    expect(healthOf(situation({ counts: { calls: 25, tool_calls: 25 } })).score).toBe(100);
  });

  test("a miss weighs half after three days", () => {
    const safety = (days: number) =>
      healthOf(situation({ misses: [{ at: NOW - days * 86_400_000 }] })).inputs.find(({ key }) => key === "safety")
        ?.rate;
    expect(safety(3)).toBeCloseTo((safety(0) ?? 0) / 2, 10);
  });

  test("attacks that are blocked never lower the score", () => {
    verifies("health.attacks");
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(50), (blocks, falsePositives) => {
        const without = healthOf(situation({ falsePositives })).score ?? 0;
        expect(healthOf(situation({ counts: { blocks }, falsePositives })).score).toBeGreaterThanOrEqual(without);
      }),
    );
  });

  const told = fc.record({
    counts: fc.record({
      calls: fc.nat(100_000),
      tool_calls: fc.nat(10_000),
      blocks: fc.nat(1_000),
      off_profile: fc.nat(1_000),
      errors_hub: fc.nat(1_000),
      errors_upstream: fc.nat(1_000),
      fail_open: fc.nat(100),
    }),
    misses: fc.array(
      fc.record({
        severity: fc.constantFrom(...SEVERITIES),
        at: fc.integer({ min: NOW - 1e9, max: NOW + 1e6 }),
        isOpen: fc.boolean(),
      }),
      { maxLength: 30 },
    ),
    falsePositives: fc.nat(100),
    faults: fc.uniqueArray(fc.constantFrom(...GOVERNANCE_FAULTS)),
    isGoverned: fc.boolean(),
    isExpired: fc.boolean(),
    hasFailedOpenToday: fc.boolean(),
    drift: fc.constantFrom("stable", "watch", "drifting"),
  });

  test("is whole, from 0 to 100, never above a cap, and nothing bad ever raises it", () => {
    verifies("health.formula");
    fc.assert(
      fc.property(told, fc.constantFrom("off_profile", "errors_hub", "errors_upstream", "fail_open"), (what, worse) => {
        const { score, caps } = healthOf(situation(what));
        fc.pre(score !== null);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        for (const { limit } of caps) expect(score).toBeLessThanOrEqual(limit);
        const counts = { ...what.counts, [worse]: what.counts[worse] + 10 };
        expect(healthOf(situation({ ...what, counts })).score).toBeLessThanOrEqual(score);
        const misses = [...what.misses, { severity: "low" as const }];
        expect(healthOf(situation({ ...what, misses })).score).toBeLessThanOrEqual(score);
      }),
    );
  });
});

describe("bands", () => {
  const through = (...scores: readonly number[]): Band[] => {
    let state: ReturnType<typeof nextBand> | null = null;
    return scores.map((score) => {
      state = nextBand(state, score);
      return state.band;
    });
  };

  test("change when crossed by three points, or twice in a row", () => {
    verifies("health.bands");
    expect(through(90, 84)).toEqual(["healthy", "healthy"]);
    expect(through(90, 82)).toEqual(["healthy", "watch"]);
    expect(through(90, 84, 84)).toEqual(["healthy", "healthy", "watch"]);
    expect(through(90, 84, 86, 84)).toEqual(["healthy", "healthy", "healthy", "healthy"]);
    expect(through(80, 86, 84, 87, 87)).toEqual(["watch", "watch", "watch", "watch", "healthy"]);
    expect(through(80, 88)).toEqual(["watch", "healthy"]);
    expect(through(95, 49)).toEqual(["healthy", "critical"]);
    expect(through(40, 51, 69)).toEqual(["critical", "critical", "degraded"]);
  });

  test("follow a score that stays where it is", () => {
    verifies("health.bands");
    fc.assert(
      fc.property(fc.array(fc.nat(100)), fc.nat(100), (before, score) => {
        expect(through(...before, score, score).at(-1)).toBe(bandOf(score));
      }),
    );
  });
});
