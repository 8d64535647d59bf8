import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Course, type CourseLimits, type CourseStep, nextStep } from "#features/alerts/alert-state";
import { verifies } from "#test/support/verifies";

const SECOND = 1_000;
const LIMITS: CourseLimits = { threshold: 10, clear_at: 5, for_seconds: 60, resolve_seconds: 30 };

/** What an alert is after each of these values, a few seconds apart; `null` for nothing to measure. */
const playedOf = (
  limits: CourseLimits,
  values: readonly (readonly [seconds: number, value: number | null])[],
): readonly string[] => {
  let course: Course | null = null;
  return values.map(([seconds, value]) => {
    const step = nextStep(course, value, limits, 1_000_000 + seconds * SECOND);
    course = step.kind === "open" ? step.course : null;
    return step.kind === "open" ? (step.hasFired ? "fires" : step.course.state) : step.kind;
  });
};

describe("course of an alert", () => {
  test("fires after its time, stays between the thresholds, and ends after its time", () => {
    verifies("alert.states");
    const values = [
      [0, 11],
      [59, 20],
      [60, 11],
      [61, 7],
      [62, 5],
      [80, 6],
      [90, 4],
      [119, 5],
      [120, 0],
      [121, 0],
    ] as const;
    const expected = [
      ...["pending", "pending", "fires", "firing", "firing", "firing", "firing", "firing", "resolved"],
      "none",
    ];
    expect(playedOf(LIMITS, values)).toEqual(expected);
  });

  test("what falls before its time has passed begins anew", () => {
    const values = [
      [0, 11],
      [50, 10],
      [60, 11],
      [110, 11],
      [120, 11],
    ] as const;
    expect(playedOf(LIMITS, values)).toEqual(["pending", "none", "pending", "pending", "fires"]);
  });

  test("without durations it fires and ends at once; nothing to measure ends it too", () => {
    const limits = { ...LIMITS, for_seconds: 0, resolve_seconds: 0 };
    const values = [
      [0, 11],
      [1, null],
      [2, null],
    ] as const;
    expect(playedOf(limits, values)).toEqual(["fires", "resolved", "none"]);
  });

  test("a clock that was set back keeps nothing waiting for ever", () => {
    const begun = nextStep(null, 11, LIMITS, 10_000_000);
    if (begun.kind !== "open") throw new Error("it did not begin");
    const later = nextStep(begun.course, 11, LIMITS, 1_000);
    expect(later).toMatchObject({ kind: "open", course: { since: 1_000 } });
    if (later.kind !== "open") throw new Error("it ended");
    expect(nextStep(later.course, 11, LIMITS, 61_000)).toMatchObject({ hasFired: true });
  });

  const limitsOf = fc
    .record({
      threshold: fc.integer({ min: 0, max: 20 }),
      below: fc.integer({ min: 0, max: 20 }),
      for_seconds: fc.integer({ min: 0, max: 90 }),
      resolve_seconds: fc.integer({ min: 0, max: 90 }),
    })
    .map(({ below, ...limits }): CourseLimits => ({ ...limits, clear_at: Math.max(0, limits.threshold - below) }));
  const moments = fc.array(
    fc.record({ after: fc.integer({ min: 1, max: 40 }), value: fc.option(fc.integer({ min: 0, max: 25 })) }),
    { maxLength: 60 },
  );

  test("is what the whole of its past says, however values go", () => {
    verifies("alert.states");
    fc.assert(
      fc.property(limitsOf, moments, (limits, all) => {
        const oracle = new Oracle(limits);
        let course: Course | null = null;
        let at = 0;
        for (const { after, value } of all) {
          at += after;
          const step: CourseStep = nextStep(course, value, limits, at * SECOND);
          expect(sayingOf(step)).toEqual(oracle.saying(at, value));
          course = step.kind === "open" ? step.course : null;
          if (step.kind === "open") expect(step.course.peak).toBeGreaterThanOrEqual(step.course.value);
        }
      }),
    );
  });
});

type Moment = { readonly at: number; readonly value: number | null };
type Saying = "none" | "pending" | "fires" | "firing" | "resolved";

const sayingOf = (step: CourseStep): Saying => {
  if (step.kind !== "open") return step.kind;
  return step.hasFired ? "fires" : step.course.state;
};

/** Looks at all of the past each time. */
class Oracle {
  private readonly past: Moment[] = [];
  private isFiring = false;

  constructor(private readonly limits: CourseLimits) {}

  saying(at: number, value: number | null): Saying {
    const { threshold, clear_at, for_seconds, resolve_seconds } = this.limits;
    this.past.push({ at, value });
    const above = this.lasting((one) => one !== null && one > threshold);
    if (!this.isFiring) {
      if (above === null) return "none";
      this.isFiring = above >= for_seconds;
      return this.isFiring ? "fires" : "pending";
    }
    const clear = this.lasting((one) => one === null || one <= clear_at);
    if (clear === null || clear < resolve_seconds) return "firing";
    this.isFiring = false;
    // What came before the end of an alert counts no more.
    this.past.length = 0;
    return "resolved";
  }

  /** For how many seconds values have been so without a break; null for not now. */
  private lasting(is: (value: number | null) => boolean): number | null {
    const broken = this.past.findLastIndex(({ value }) => !is(value));
    const first = this.past[broken + 1];
    return first === undefined ? null : (this.past.at(-1)?.at ?? 0) - first.at;
  }
}
