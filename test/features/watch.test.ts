import { describe, expect, test } from "bun:test";
import { evaluate, type Observed } from "#features/health/observation";
import { acknowledge, beginBaseline } from "#model/health/drift-watch";
import type { UsageHour } from "#model/health/tally";
import type { DriftWatch, WatchState } from "#model/health/watch-state";
import { HOUR_MS } from "#model/usage";
import { Course, START, steadyAgents } from "#test/simulate/course";
import { verifies } from "#test/support/verifies";
import { AGENT, chance, HABITS, type Habits, hourOfCalls, hoursOf } from "#test/support/watched-agent";

const DAY_MS = 24 * HOUR_MS;

const OTHER_TOOLS: Habits = {
  ...HABITS,
  tool: { files__read: 0.1, files__list: 0.1, mail__read: 0.1, mail__send: 0.7 },
};

describe("a baseline", () => {
  test("is the first thousand governed calls", () => {
    verifies("drift.baseline");
    const course = new Course();
    expect(course.look().status).toBe("no_baseline");
    expect(course.run(9, 110)).toEqual(Array(9).fill("no_baseline"));
    expect(course.run(1, 110)).toEqual(["insufficient_data"]);
    expect(course.drift?.baseline).toMatchObject({ calls: 1_100, from: START, to: START + 10 * HOUR_MS });
    const frozen = course.drift?.baseline;
    course.run(30, 100);
    expect(course.drift?.baseline).toEqual(frozen ?? null);
  });

  test("does without calls before its profile, in the same hour too", () => {
    verifies("drift.baseline");
    const course = new Course();
    course.hours.push(hourOfCalls(START, 900, OTHER_TOOLS, chance(3)));
    course.now = START + HOUR_MS / 2;
    course.look();
    course.hours.splice(0, 1, add(course.hours[0], hourOfCalls(START, 200, HABITS, chance(4))));
    expect(course.look().status).toBe("no_baseline");
    course.hours.splice(0, 1, add(course.hours[0], hourOfCalls(START, 800, HABITS, chance(5))));
    expect(course.look().status).toBe("insufficient_data");
    expect(course.drift?.baseline?.calls).toBe(1_000);
    const { "tool.mail__send": sent = 0, "tool.files__read": read = 0 } = course.drift?.baseline?.counts ?? {};
    expect(read).toBeGreaterThan(sent);
    // What comes now is compared, what made the baseline is not.
    expect(course.drift?.calls).toBe(0);
    course.look();
    expect(course.drift?.calls).toBe(0);
  });

  test("of a quiet agent is what it did in fourteen days, if that is enough", () => {
    verifies("drift.baseline");
    const course = new Course();
    course.look();
    expect(course.run(14 * 24 - 1, 2).at(-1)).toBe("no_baseline");
    expect(course.run(1, 2)).toEqual(["insufficient_data"]);
    const quieter = new Course();
    quieter.look();
    expect(quieter.run(20 * 24, 1).at(-1)).toBe("no_baseline");
  });

  test("belongs to its profile version", () => {
    verifies("drift.baseline");
    const course = Course.withBaseline();
    expect(course.look(2).status).toBe("no_baseline");
    expect(course.drift?.baseline).toBeNull();
    expect(course.look(null).status).toBe("no_baseline");
  });

  test("is begun anew where somebody says so", () => {
    const course = Course.withBaseline();
    course.run(24, 20, OTHER_TOOLS);
    expect(course.drift?.status).toBe("drifting");
    course.drift = beginBaseline({ now: course.now, profileVersion: 1, hours: course.hours });
    course.run(50, 24, OTHER_TOOLS);
    expect(course.run(24, 24, OTHER_TOOLS).at(-1)).toBe("stable");
  });
});

describe("the present", () => {
  test("is a day, and up to three where a day has too few calls", () => {
    const course = Course.withBaseline();
    expect(course.run(10, 12)).toEqual(Array(10).fill("insufficient_data"));
    expect(course.run(14, 12).at(-1)).toBe("stable");
    expect(course.drift?.calls).toBeLessThanOrEqual(24 * 12);
    course.run(72, 4);
    expect(course.drift).toMatchObject({ calls: 284, status: "stable" });
    expect(course.run(72, 1).at(-1)).toBe("insufficient_data");
  });

  test("that stays as it was is hardly ever called anything else", () => {
    verifies("drift.false-alarms");
    const judged = steadyAgents(8);
    expect(judged.length).toBeGreaterThan(1_700);
    const share = (status: string) => judged.filter((one) => one === status).length / judged.length;
    expect(share("drifting")).toBeLessThan(0.01);
    expect(share("watch")).toBeLessThan(0.03);
  });

  test("that changes is drifting within a day, and stable again a day and six hours after it is over", () => {
    verifies("drift.hysteresis");
    const course = Course.withBaseline();
    course.run(24, 20);
    expect(course.run(24, 20, OTHER_TOOLS)).toContain("drifting");
    expect(course.drift?.shifts.find(({ feature }) => feature === "tool")?.level).toBe("drifting");
    expect(course.run(30, 20).at(-1)).toBe("stable");
  });

  test("a new model is said at the next look, before there is enough of anything", () => {
    verifies("drift.first-seen");
    const course = Course.withBaseline();
    expect(course.run(1, 60, { ...HABITS, model: { large: 0.5, another: 0.5 } })).toEqual(["watch"]);
    expect(course.drift?.first_seen).toMatchObject([{ feature: "model", name: "another" }]);
  });
});

describe("an evaluation", () => {
  const random = chance(9);
  const clean = hoursOf(START, 14 * 24, 12, random);
  const NOW = START + 14 * DAY_MS;
  const observed = (now: number, told: Partial<Observed> = {}): Observed => ({
    ...{ agent: AGENT, now, hours: clean.filter(({ hour }) => hour <= now), isGoverned: true, faults: [] },
    ...{ misses: [], falsePositives: 0, restrictions: [], ...told },
  });

  test("counts seven days", () => {
    const { report } = evaluate(null, observed(NOW - 1));
    expect(report.window.calls).toBe(7 * 24 * 12);
    expect(report).toMatchObject({ health_score: 100, band: "healthy", confidence: "high", formula: "health/1" });
  });

  test("caps say since when, and drift that somebody answers for does not count", () => {
    verifies("drift.acknowledge");
    const first = evaluate(null, observed(NOW, { isGoverned: false }));
    const later = evaluate(first.state, observed(NOW + HOUR_MS, { isGoverned: false }));
    expect(later.report.caps).toEqual([{ code: "ungoverned", limit: 69, since: new Date(NOW).toISOString() }]);
    const course = Course.withBaseline();
    course.run(48, 20, OTHER_TOOLS);
    const drift = course.drift ?? beginBaseline({ now: 0, profileVersion: 1, hours: [] });
    const state = (of: DriftWatch): WatchState => ({ ...first.state, drift: of });
    const seen = observed(course.now, { hours: course.hours });
    expect(evaluate(state(drift), seen).report).toMatchObject({ health_score: 79, drift_status: "drifting" });
    const known = acknowledge(drift, course.now + DAY_MS);
    expect(evaluate(state(known), seen).report).toMatchObject({
      ...{ health_score: 100, drift_status: "drifting", caps: [] },
      drift: { acknowledged_until: new Date(course.now + DAY_MS).toISOString() },
    });
    const after = { ...seen, now: course.now + DAY_MS };
    expect(evaluate(state(known), after).report.drift.acknowledged_until).toBeNull();
  });

  test("four points a day are kept for a week, and an asking between changes none", () => {
    verifies("health.trend");
    let state: WatchState | null = null;
    for (let now = NOW - 9 * DAY_MS; now < NOW; now += 20 * 60_000) state = evaluate(state, observed(now)).state;
    const trend = state?.trend ?? [];
    expect(trend).toHaveLength(28);
    expect(trend.every(({ t }, at) => at === 0 || t - (trend[at - 1]?.t ?? 0) === 6 * HOUR_MS)).toBe(true);
    const again = evaluate(state, observed(NOW - 1, { isGoverned: false }));
    expect(again.report.health_score).toBe(69);
    expect(again.state.trend).toEqual(trend);
  });

  test("asked for between two evaluations, it moves no band that is near its edge", () => {
    verifies("health.bands");
    // 84: one point under healthy.
    const high = { misses: [{ severity: "high" as const, at: NOW - 30 * DAY_MS, isOpen: true }] };
    let { state, report } = evaluate(null, observed(NOW));
    const steps: [number, string][] = [
      [5, "healthy"],
      [6, "healthy"],
      [7, "healthy"],
      [10, "watch"],
    ];
    for (const [minutes, band] of steps) {
      ({ state, report } = evaluate(state, observed(NOW + minutes * 60_000, high)));
      expect([minutes, report.health_score, report.band]).toEqual([minutes, 84, band]);
    }
  });
});

const add = (a: UsageHour | undefined, b: UsageHour): UsageHour => {
  const counts = { ...a?.counts };
  for (const [name, n] of Object.entries(b.counts)) counts[name] = (counts[name] ?? 0) + n;
  return { hour: b.hour, counts };
};
