import { atLeast, LEVELS, type Level } from "#model/health/drift";

/* What is said of drift from one evaluation to the next, so that an agent at a threshold does not flicker. */

export const DRIFT_STATUSES = ["no_baseline", "insufficient_data", "stable", "watch", "drifting"] as const;
export type DriftStatus = (typeof DRIFT_STATUSES)[number];

/** `above` and `below`: the levels of the last hourly evaluations in a row that were not the level shown. */
export type DriftState = { readonly level: Level; readonly above: readonly Level[]; readonly below: readonly Level[] };

export const STEADY: DriftState = { level: "stable", above: [], below: [] };

/** Hourly evaluations in a row. */
const TO_RISE = 2;
const TO_FALL = 6;

/** After one more hourly evaluation: up after two in a row that were higher, down after six that were lower. */
export const afterHour = ({ level, above, below }: DriftState, seen: Level): DriftState => {
  if (seen === level) return { level, above: [], below: [] };
  if (atLeast(seen, level)) {
    const rising = [...above, seen];
    // As far as every one of them went.
    return rising.length < TO_RISE ? { level, above: rising, below: [] } : { ...STEADY, level: lowest(rising) };
  }
  const falling = [...below, seen];
  return falling.length < TO_FALL ? { level, above: [], below: falling } : { ...STEADY, level: highest(falling) };
};

/** A model or tool never seen before needs no second look. */
export const onFirstSeen = (state: DriftState): DriftState =>
  atLeast(state.level, "watch") ? state : { ...STEADY, level: "watch", above: state.above };

const lowest = (levels: readonly Level[]): Level => LEVELS.find((level) => levels.includes(level)) ?? "stable";
const highest = (levels: readonly Level[]): Level => LEVELS.findLast((level) => levels.includes(level)) ?? "stable";

/** Somebody knows of it: as far as the level went then, and until then, it counts as stable. */
export type Acknowledgement = { readonly level: Level; readonly until: number };

export const countsAs = (level: Level, known: Acknowledgement | null, now: number): Level =>
  known !== null && now < known.until && atLeast(known.level, level) ? "stable" : level;
