import { type DriftFeatureName, FEATURES, levelOf, newNames, shiftOf } from "#model/health/drift";
import { type Acknowledgement, afterHour, type DriftState, onFirstSeen, STEADY } from "#model/health/drift-status";
import { callsIn, minus, sumOf, type Tally, tallyOf, type UsageHour } from "#model/health/tally";
import type { DriftBaseline, DriftWatch, Mark } from "#model/health/watch-state";
import { HOUR_MS, hourOf } from "#model/usage";

/* From an agent's hours to what is said of its drift: collects the baseline, freezes it, compares the present with it. */

const DAY_MS = 24 * HOUR_MS;
/** The baseline is this many calls, or this few where an agent makes no more in so long. */
const AIM = 1_000;
const MIN_CALLS = 500;
const COLLECTED_MS = 14 * DAY_MS;
/** The present is the last day, or as many days as it takes to make this many calls. */
const ENOUGH = 200;
const MAX_DAYS = 3;
/** Hours of the day are told apart only by a baseline that knows them all about equally well. */
const KNOWS_HOURS_MS = 3 * DAY_MS;

export type DriftObservation = {
  readonly now: number;
  /** The profile in force; null for an ungoverned agent, which has no baseline. */
  readonly profileVersion: number | null;
  /** All since `hoursFrom`, oldest first. */
  readonly hours: readonly UsageHour[];
};

/** The first hour that is needed for the next look. */
export const hoursFrom = (before: DriftWatch | null, now: number): number => {
  if (before === null) return hourOf(now);
  return Math.max(before.since.hour, hourOf(now) - (before.baseline === null ? COLLECTED_MS : MAX_DAYS * DAY_MS));
};

/** Begins to collect a baseline with the next call. */
export const beginBaseline = ({ now, profileVersion, hours }: DriftObservation): DriftWatch => ({
  profile_version: profileVersion,
  since: markAt(now, hours),
  baseline: null,
  status: "no_baseline",
  ...nothingCompared(),
  acknowledged: null,
});

const nothingCompared = () => ({
  ...keptOf(STEADY),
  judged_at: null,
  calls: 0,
  from: null,
  shifts: [],
  first_seen: [],
});

/** What is to be said after another look. A new profile begins a new baseline. */
export const observeDrift = (before: DriftWatch | null, seen: DriftObservation): DriftWatch => {
  if (!before || before.profile_version !== seen.profileVersion) return beginBaseline(seen);
  if (before.baseline === null) return collect(before, seen);
  return compare(before, before.baseline, seen);
};

const collect = (before: DriftWatch, seen: DriftObservation): DriftWatch => {
  const { now, hours, profileVersion } = seen;
  if (profileVersion === null) return before;
  const from = Math.max(before.since.at, now - COLLECTED_MS);
  const tally = sumSince(before.since, hours, hourOf(from));
  const calls = callsIn(tally);
  const isLong = now - before.since.at >= COLLECTED_MS;
  if (calls < (isLong ? MIN_CALLS : AIM)) return before;
  const baseline = { counts: Object.fromEntries(featuresOf(tally)), calls, from, to: now };
  return { ...before, ...nothingCompared(), baseline, since: markAt(now, hours), status: "insufficient_data" };
};

const compare = (before: DriftWatch, baseline: DriftBaseline, { now, hours }: DriftObservation): DriftWatch => {
  const { tally, from } = presentOf(before.since, hours, now);
  const calls = callsIn(tally);
  const known = tallyOf(baseline.counts);
  const firstSeen = newNames(known, tally);
  const isEnough = calls >= ENOUGH;
  const shifts = isEnough ? comparable(baseline, now - from).flatMap((it) => shiftOf(it, known, tally) ?? []) : [];
  const isHourly = isEnough && (before.judged_at === null || now - before.judged_at >= HOUR_MS);
  const level = levelOf(shifts, firstSeen.length > 0);
  const kept: DriftState = isEnough ? before : STEADY;
  const judged = isHourly ? afterHour(kept, level) : kept;
  const state = firstSeen.length > 0 ? onFirstSeen(judged) : judged;
  return {
    ...before,
    ...keptOf(state),
    status: isEnough || firstSeen.length > 0 ? state.level : "insufficient_data",
    judged_at: isHourly ? now : isEnough ? before.judged_at : null,
    calls,
    from,
    shifts: shifts.map((shift) => ({ ...shift, bins: [...shift.bins] })),
    first_seen: [...firstSeen],
    acknowledged: stillHolds(before.acknowledged, now),
  };
};

const stillHolds = (known: Acknowledgement | null, now: number): Acknowledgement | null =>
  known !== null && now < known.until ? known : null;

const keptOf = ({ level, above, below }: DriftState) => ({ level, above: [...above], below: [...below] });

/** Whole days, so that no hour of the day weighs more than another. */
const presentOf = (since: Mark, hours: readonly UsageHour[], now: number): { tally: Tally; from: number } => {
  for (let days = 1; ; days += 1) {
    const from = Math.max(since.at, hourOf(now) - days * DAY_MS + HOUR_MS);
    const tally = sumSince(since, hours, hourOf(from));
    if (callsIn(tally) >= ENOUGH || days === MAX_DAYS) return { tally, from };
  }
};

const comparable = ({ from, to }: DriftBaseline, presentMs: number): readonly DriftFeatureName[] => {
  const knowsHours = to - from >= KNOWS_HOURS_MS && presentMs >= DAY_MS - HOUR_MS;
  return FEATURE_NAMES.filter((feature) => feature !== "hour_of_day" || knowsHours);
};

const FEATURE_NAMES: readonly DriftFeatureName[] = [
  "model",
  "tool",
  "flags",
  "finish_reason",
  "prompt_tokens",
  "output_tokens",
  "hour_of_day",
];

const markAt = (now: number, hours: readonly UsageHour[]): Mark => {
  const hour = hourOf(now);
  return { at: now, hour, counts: { ...hours.find((one) => one.hour === hour)?.counts } };
};

const sumSince = (mark: Mark, hours: readonly UsageHour[], from: number): Tally => {
  const wanted = hours.filter(({ hour }) => hour >= Math.max(from, mark.hour));
  return minus(sumOf(wanted), from > mark.hour ? new Map() : sumOf([mark]));
};

/** Only what is compared is kept: names of models and tools, never who used them for what. */
const featuresOf = (tally: Tally): Tally => {
  const prefixes: readonly string[] = Object.values(FEATURES);
  return new Map([...tally].filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix))));
};

/** Somebody knows of what is shown now, and answers for it until then. */
export const acknowledge = (drift: DriftWatch, until: number): DriftWatch => ({
  ...drift,
  acknowledged: { level: drift.level, until },
});
