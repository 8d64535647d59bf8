import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  binsOf,
  chiSquare99,
  type DriftFeatureName,
  type Level,
  levelOf,
  newNames,
  psiOf,
  type Shift,
  shiftOf,
} from "#model/health/drift";
import { afterHour, countsAs, type DriftState, onFirstSeen, STEADY } from "#model/health/drift-status";
import { falseAlarms, power, WITH_DRIFT, WITHOUT_DRIFT } from "#test/simulate/drift-samples";
import { verifies } from "#test/support/verifies";

/** Exact 0.99 quantiles of χ², NIST/SEMATECH e-Handbook §1.3.6.7.4. */
const EXACT = new Map([
  ...([
    [1, 6.635],
    [2, 9.21],
    [3, 11.345],
    [4, 13.277],
    [5, 15.086],
    [6, 16.812],
    [7, 18.475],
  ] as const),
  ...([
    [8, 20.09],
    [9, 21.666],
    [10, 23.209],
    [15, 30.578],
    [20, 37.566],
    [30, 50.892],
    [40, 63.691],
  ] as const),
]);

const tally = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));

describe("the threshold", () => {
  test("knows what chance does", () => {
    for (const [degrees, exact] of EXACT) expect(Math.abs(chiSquare99(degrees) / exact - 1)).toBeLessThan(0.01);
  });

  test.each(WITHOUT_DRIFT)("without drift, n=$n and m=$m, about one evaluation in a hundred is wrong", (sizes) => {
    verifies("drift.false-alarms");
    expect(falseAlarms(sizes)).toBeLessThan(0.02);
  });

  test.each(WITH_DRIFT)("$level: a true index of $psi is seen at m=$m", (shift) => {
    verifies("drift.power");
    expect(power(shift)).toBeGreaterThan(shift.psi < 0.2 ? 0.78 : 0.85);
  });
});

describe("a shift", () => {
  const counts = fc.array(fc.nat(2_000), { minLength: 2, maxLength: 12 });
  const named = (prefix: string, of: readonly number[]) =>
    tally(Object.fromEntries(of.map((n, at) => [`${prefix}${at}`, n])));

  test("is nothing between equals, never negative, and the same from both sides", () => {
    verifies("drift.index");
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const size = Math.min(a.length, b.length);
        const [p, q] = [a.slice(0, size), b.slice(0, size)];
        expect(psiOf(p, p)).toBeCloseTo(0, 12);
        expect(psiOf(p, q)).toBeGreaterThanOrEqual(0);
        expect(psiOf(p, q)).toBeCloseTo(psiOf(q, p), 10);
        expect(Number.isFinite(psiOf(p, q))).toBe(true);
      }),
    );
  });

  test("loses no count to its bins, of which there are at most eight", () => {
    verifies("drift.index");
    fc.assert(
      fc.property(counts, counts, (before, now) => {
        const bins = binsOf("model", named("model.", before), named("model.", now));
        const sum = (of: readonly number[]) => of.reduce((total, n) => total + n, 0);
        expect(bins.length).toBeLessThanOrEqual(8);
        expect(sum(bins.map((bin) => bin.baseline))).toBe(sum(before));
        expect(sum(bins.map((bin) => bin.current))).toBe(sum(now));
        const shift = shiftOf("model", named("model.", before), named("model.", now));
        if (shift) expect(shift.distance >= 0 && shift.distance <= 1).toBe(true);
      }),
    );
  });

  test("needs something on both sides", () => {
    expect(shiftOf("tool", tally({}), tally({ "tool.a": 9 }))).toBeNull();
    expect(shiftOf("tool", tally({ "tool.a": 9 }), tally({ "model.a": 9 }))).toBeNull();
    expect(shiftOf("model", tally({ "model.a": 900 }), tally({ "model.a": 9 }))).toMatchObject({
      psi: 0,
      level: "stable",
    });
  });

  test("to another model is drift, however the rest stays", () => {
    verifies("drift.levels");
    const shift = shiftOf("model", tally({ "model.a": 950, "model.b": 50 }), tally({ "model.a": 100, "model.b": 150 }));
    expect(shift?.level).toBe("drifting");
  });
});

describe("an agent", () => {
  const shift = (feature: DriftFeatureName, level: Level): Shift => ({
    ...{ feature, level, psi: 0, watch_at: 0.1, drifting_at: 0.25, distance: 0, bins: [] },
  });

  test("drifts with one telling feature, or with two of any", () => {
    verifies("drift.levels");
    expect(levelOf([], false)).toBe("stable");
    expect(levelOf([], true)).toBe("watch");
    for (const feature of ["model", "tool", "flags"] as const) {
      expect(levelOf([shift(feature, "drifting")], false)).toBe("drifting");
    }
    expect(levelOf([shift("output_tokens", "drifting")], false)).toBe("watch");
    expect(levelOf([shift("output_tokens", "drifting"), shift("hour_of_day", "drifting")], false)).toBe("drifting");
    expect(levelOf([shift("model", "watch"), shift("tool", "watch"), shift("flags", "watch")], false)).toBe("watch");
  });

  test("reports an unapproved model or tool from five uses on", () => {
    verifies("drift.first-seen");
    const baseline = tally({ "model.a": 900, "tool.files__read": 20 });
    const current = tally({ "model.a": 100, "model.b": 5, "model.c": 4, "tool.files__write": 7, "flag.none": 9 });
    expect(newNames(baseline, current)).toEqual([
      { feature: "model", name: "b", uses: 5 },
      { feature: "tool", name: "files__write", uses: 7 },
    ]);
    expect(newNames(tally({ "model.other": 3, ...Object.fromEntries(baseline) }), current)).toHaveLength(1);
  });
});

describe("drift status", () => {
  const through = (...levels: readonly Level[]): Level[] => {
    let state: DriftState = STEADY;
    return levels.map((level) => {
      state = afterHour(state, level);
      return state.level;
    });
  };

  test("rises after two hours, falls after six", () => {
    verifies("drift.hysteresis");
    expect(through("drifting", "drifting")).toEqual(["stable", "drifting"]);
    expect(through("drifting", "watch")).toEqual(["stable", "watch"]);
    expect(through("drifting", "stable", "drifting")).toEqual(["stable", "stable", "stable"]);
    const falling = through("drifting", "drifting", ...Array<Level>(6).fill("stable"));
    expect(falling.slice(1)).toEqual([...Array<Level>(6).fill("drifting"), "stable"]);
    expect(through("drifting", "drifting", ...Array<Level>(5).fill("stable"), "watch").at(-1)).toBe("watch");
  });

  test("ends where levels stay, and never leaves what was seen", () => {
    verifies("drift.hysteresis");
    const level = fc.constantFrom<Level>("stable", "watch", "drifting");
    fc.assert(
      fc.property(fc.array(level), level, (before, last) => {
        // Six that fall as far as the highest of them, and six more.
        const said = through(...before, ...Array<Level>(12).fill(last));
        expect(said.at(-1)).toBe(last);
        for (const one of said) expect(["stable", ...before, last]).toContain(one);
      }),
    );
  });

  test("a first-seen name is said at once and lowers nothing", () => {
    verifies("drift.first-seen");
    expect(onFirstSeen(STEADY).level).toBe("watch");
    const drifting: DriftState = { level: "drifting", above: [], below: ["stable"] };
    expect(onFirstSeen(drifting)).toBe(drifting);
    expect(afterHour(onFirstSeen(afterHour(STEADY, "drifting")), "drifting").level).toBe("drifting");
  });

  test("acknowledged drift does not count until its end, unless it grows", () => {
    verifies("drift.acknowledge");
    const known = { level: "watch", until: 100 } as const;
    expect(countsAs("watch", known, 99)).toBe("stable");
    expect(countsAs("watch", known, 100)).toBe("watch");
    expect(countsAs("drifting", known, 99)).toBe("drifting");
    expect(countsAs("drifting", null, 99)).toBe("drifting");
  });
});
