import type { Alert, AlertRule } from "#model/alert";
import { hasPassed } from "#platform/clock";

/* How an alert begins, fires and ends. Two thresholds and two durations keep one that hovers from coming and going. */

/** An alert that is not resolved, as far as its course is concerned. */
export type Course = Pick<Alert, "since" | "fired_at" | "clear_since" | "value" | "peak"> & {
  readonly state: "pending" | "firing";
};

export type CourseLimits = Pick<AlertRule, "threshold" | "clear_at" | "for_seconds" | "resolve_seconds">;

/** `none`: there is no alert, or it went before it fired. */
export type CourseStep =
  | { readonly kind: "none" }
  | { readonly kind: "open"; readonly course: Course; readonly hasFired: boolean }
  | { readonly kind: "resolved"; readonly course: Course };

const SECOND_MS = 1_000;

/** `value`: what was measured; null for nothing there to measure, which is no reason for an alert. */
export const nextStep = (before: Course | null, value: number | null, limits: CourseLimits, now: number): CourseStep =>
  before?.state === "firing" ? whileFiring(before, value, limits, now) : beforeFiring(before, value, limits, now);

const beforeFiring = (before: Course | null, value: number | null, limits: CourseLimits, now: number): CourseStep => {
  if (value === null || value <= limits.threshold) return { kind: "none" };
  const since = Math.min(before?.since ?? now, now);
  const course = { since, value, peak: Math.max(before?.peak ?? value, value), clear_since: null };
  return hasPassed(limits.for_seconds * SECOND_MS, since, now)
    ? { kind: "open", course: { ...course, state: "firing", fired_at: now }, hasFired: true }
    : { kind: "open", course: { ...course, state: "pending", fired_at: null }, hasFired: false };
};

const whileFiring = (before: Course, measured: number | null, limits: CourseLimits, now: number): CourseStep => {
  const value = measured ?? 0;
  const isClear = measured === null || measured <= limits.clear_at;
  const clear_since = isClear ? Math.min(before.clear_since ?? now, now) : null;
  const course = { ...before, value, peak: Math.max(before.peak, value), clear_since };
  const isOver = clear_since !== null && hasPassed(limits.resolve_seconds * SECOND_MS, clear_since, now);
  return isOver ? { kind: "resolved", course } : { kind: "open", course, hasFired: false };
};
