import type { Agent } from "#model/agent";
import { countsAs, type DriftStatus } from "#model/health/drift-status";
import { hoursFrom, observeDrift } from "#model/health/drift-watch";
import { type CapCode, type DriftWeight, FORMULA, type Health, healthOf, nextBand } from "#model/health/health";
import type { ConfirmedMiss, GovernanceFault } from "#model/health/health-inputs";
import type { AgentHealthView, DriftResponse, HealthReport } from "#model/health/health-report";
import { callsIn, countIn, sumOf, type Tally, type UsageHour } from "#model/health/tally";
import type { DriftWatch, TrendPoint, WatchState } from "#model/health/watch-state";
import { HOUR_MS, hourOf } from "#model/usage";
import type { Restriction } from "#policy/restrictions/restriction";

/* One evaluation of one agent: what was kept of the last one and what is known now give what is kept and shown. */

const DAY_MS = 24 * HOUR_MS;
const WINDOW_MS = 7 * DAY_MS;
/** Evaluations come about every five minutes; one on request between them tells, but moves no band near its edge. */
const EVALUATED_MS = 4 * 60_000;
const TREND_MS = 6 * HOUR_MS;
const TREND_POINTS = 28;

/** What is known of an agent at the moment. */
export type Observed = {
  readonly agent: Agent;
  readonly now: number;
  /** All since `neededFrom`, oldest first. */
  readonly hours: readonly UsageHour[];
  readonly isGoverned: boolean;
  readonly faults: readonly GovernanceFault[];
  readonly misses: readonly ConfirmedMiss[];
  readonly falsePositives: number;
  readonly restrictions: readonly Restriction[];
};

/** The first hour of the seven days, which are whole hours and the one under way. */
export const windowFrom = (now: number): number => hourOf(now) - WINDOW_MS + HOUR_MS;

/** The first hour that an evaluation needs. */
export const neededFrom = (before: WatchState | null, now: number): number =>
  Math.min(windowFrom(now), hoursFrom(before?.drift ?? null, now));

export const evaluate = (before: WatchState | null, seen: Observed): { state: WatchState; report: AgentHealthView } => {
  const { agent, now, hours, isGoverned } = seen;
  const profileVersion = isGoverned ? agent.profile_version : null;
  const drift = observeDrift(before?.drift ?? null, { now, hours, profileVersion });
  const week = hours.filter(({ hour }) => hour >= windowFrom(now));
  const tally = sumOf(week);
  const today = sumOf(week.filter(({ hour }) => hour > hourOf(now) - DAY_MS));
  const health = healthNow(seen, { drift, tally, today });
  const band = bandNow(before, health.score, now);
  const state: WatchState = {
    v: 1,
    drift,
    ...band,
    caps_since: Object.fromEntries(health.caps.map(({ code }) => [code, before?.caps_since[code] ?? now])),
    trend: trendNow(before?.trend ?? [], health.score, now),
  };
  return { state, report: reportOf(seen, health, state, callsIn(tally)) };
};

export type HealthChange = "health.band_changed" | "drift.changed";

/** What subscribers of the agent's events are told. */
export const changesBetween = (before: WatchState, after: WatchState): readonly HealthChange[] => [
  ...(before.band?.band === after.band?.band ? [] : (["health.band_changed"] as const)),
  ...(before.drift.status === after.drift.status ? [] : (["drift.changed"] as const)),
];

type Counted = { readonly drift: DriftWatch; readonly tally: Tally; readonly today: Tally };

const healthNow = (seen: Observed, { drift, tally, today }: Counted): Health => {
  const { now, isGoverned, faults, misses, falsePositives } = seen;
  return healthOf({
    now,
    tally,
    misses,
    falsePositives,
    faults,
    isGoverned,
    isExpired: faults.includes("review_overdue"),
    hasFailedOpenToday: countIn(today, "fail_open") > 0,
    drift: countsAs(weightOf(drift.status), drift.acknowledged, now),
  });
};

const weightOf = (status: DriftStatus): DriftWeight =>
  status === "watch" || status === "drifting" ? status : "stable";

const bandNow = (
  before: WatchState | null,
  score: number | null,
  now: number,
): Pick<WatchState, "band" | "judged_at"> => {
  if (score === null) return { band: null, judged_at: now };
  const known = before?.band ?? null;
  const counts = !before || now - before.judged_at >= EVALUATED_MS;
  if (known === null || counts) return { band: nextBand(known, score), judged_at: now };
  const next = nextBand({ ...known, pending: null }, score);
  return { band: next.band === known.band ? known : next, judged_at: before?.judged_at ?? now };
};

/** One point in six hours: the first evaluation's. What was said is never rewritten. */
const trendNow = (trend: readonly TrendPoint[], score: number | null, now: number): TrendPoint[] => {
  const t = now - (now % TREND_MS);
  if ((trend.at(-1)?.t ?? 0) >= t) return [...trend];
  return [...trend, { t, score }].slice(-TREND_POINTS);
};

const reportOf = (
  { agent, now, restrictions }: Observed,
  health: Health,
  { drift, band, caps_since }: WatchState,
  calls: number,
): AgentHealthView => {
  const since = (code: CapCode) => caps_since[code] ?? now;
  return {
    agent_id: agent.id,
    health_score: health.score,
    band: band?.band ?? "insufficient_data",
    drift_status: drift.status,
    active_restrictions: restrictions.map(restrictionResponse),
    confidence: health.confidence,
    window: { from: time(windowFrom(now)), to: time(now), calls },
    inputs: health.inputs.map(({ measured: _, ...input }) => ({
      ...input,
      score: rounded(input.score),
      rate: input.rate === null ? null : rounded(input.rate),
    })),
    measures: health.inputs.map(({ key, measured }) => ({ key, ...measured })),
    caps: health.caps.map(({ code, limit }) => ({ code, limit, since: time(since(code)) })),
    drift: driftResponse(drift, now),
    computed_at: time(now),
    formula: FORMULA,
  };
};

const restrictionResponse = (one: Restriction): HealthReport["active_restrictions"][number] => ({
  id: one.id,
  kind: one.kind,
  params: { ...one.params },
  source: one.source,
  reason: one.reason,
  starts_at: time(one.starts_at),
  expires_at: one.expires_at === null ? null : time(one.expires_at),
});

export const driftResponse = (drift: DriftWatch, now: number): DriftResponse => {
  const { baseline, profile_version, acknowledged, from, calls } = drift;
  return {
    status: drift.status,
    acknowledged_until: acknowledged && now < acknowledged.until ? time(acknowledged.until) : null,
    baseline: baseline && {
      profile_version: profile_version ?? 0,
      calls: baseline.calls,
      from: time(baseline.from),
      to: time(baseline.to),
    },
    current: from === null ? null : { calls, from: time(from) },
    features: drift.shifts.map((shift) => ({
      ...shift,
      psi: rounded(shift.psi),
      watch_at: rounded(shift.watch_at),
      drifting_at: rounded(shift.drifting_at),
      distance: rounded(shift.distance),
    })),
    first_seen: drift.first_seen,
  };
};

const time = (ms: number): string => new Date(ms).toISOString();

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
