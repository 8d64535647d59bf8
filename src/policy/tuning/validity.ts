import { GuardError } from "#core/errors";
import { customDetectors, fitsPattern } from "#scan/custom";
import { actionFor, isEnforced, type PolicyRule, type PolicySource, thresholdsIn } from "#scan/policy";
import { FLOOR } from "./exceptions";
import type { Effect, TuningChange, TuningKind, TuningMatch, TuningRule } from "./rule";
import { compared, rankOf, type Spot, spotsOf, stepsOf } from "./strictness";
import { tunedBy } from "./tuned";

/** A change as somebody wants it, of values only hashes. */
export type WantedTuning = { readonly match: TuningMatch; readonly change: TuningChange };

/** What a subject's calls are held to before any tuning. */
export type TuningBase = {
  readonly source: PolicySource;
  /** How far a threshold may be raised above the subject's own; null for any distance. */
  readonly most_delta: number | null;
};

/** Rules that change what the policy does, as far as they are needed to know what it is. */
export type Enforced = Pick<TuningRule, "id" | "match" | "change">;

/** What a change is, once it is known to make sense and to stay above the floor. */
export type JudgedTuning = WantedTuning & { readonly kind: TuningKind; readonly effect: Effect };

/**
 * What a change is beside the rules in force. Throws `invalid_value` for one that says nothing or does nothing, and
 * `below_floor` for one that would loosen what the floor, or the profile, keeps as it is.
 */
export const judged = (wanted: WantedTuning, tuningBase: TuningBase, enforced: readonly Enforced[]): JudgedTuning => {
  const kind = kindOf(wanted);
  const effect = effectOf(wanted, tuningBase, enforced);
  if (effect === "loosen") mustKeepFloor(wanted, tuningBase, enforced);
  return { ...wanted, kind, effect };
};

/** Whether what a change of a threshold begins with is still so. */
export const isAsItWas = (
  { match, change }: WantedTuning,
  tuningBase: TuningBase,
  enforced: readonly Enforced[],
): boolean => {
  if (change.op !== "threshold") return true;
  const { source } = tunedBy(tuningBase.source, enforced);
  return spotsOf(match).some(
    ({ type, origin }) => (thresholdsIn(source, type, origin)[change.action] ?? null) === change.from,
  );
};

const kindOf = ({ match, change }: WantedTuning): TuningKind => {
  if (change.op === "detect") return additionKind(match);
  if (match.types.length === 0) throw bad("match.types", "names the flag types it is about");
  if (match.keywords) throw bad("match.keywords", "belongs to patterns that are added (detect)");
  if (change.op === "allow") return exceptionKind(match);
  if (match.value || match.pattern !== undefined || match.context !== undefined) {
    throw bad("match", "of a threshold or an action has types and origins only");
  }
  return change.op;
};

const exceptionKind = ({ value, pattern, context }: TuningMatch): TuningKind => {
  if (pattern !== undefined && !isPattern(pattern)) throw bad("match.pattern", BAD_PATTERN);
  if (value) return "value_exception";
  if (pattern !== undefined) return "pattern_exception";
  if (context !== undefined) return "context_exception";
  throw bad("match", "of an exception names a value, a pattern or a context: without one it would let everything pass");
};

const additionKind = ({ pattern, keywords, value, context }: TuningMatch): TuningKind => {
  if (value || context !== undefined) throw bad("match", "of an addition has keywords, and perhaps a pattern");
  if (!keywords || keywords.length === 0) throw bad("match.keywords", "names what a match begins with");
  const words = pattern === undefined ? { words: keywords } : { pattern, keywords };
  try {
    customDetectors([{ id: "tried", ...words }]);
  } catch {
    // The reason quotes the pattern; nothing of a request is repeated in an answer.
    throw bad(
      pattern === undefined ? "match.keywords" : "match.pattern",
      pattern === undefined ? BAD_WORDS : BAD_PATTERN,
    );
  }
  return "pattern_add";
};

const isPattern = (pattern: string): boolean => {
  try {
    fitsPattern(pattern, "");
    return true;
  } catch {
    return false;
  }
};

const BAD_PATTERN = "is RE2 syntax, at most 1000 characters and not too large; of an addition it has keywords";
const BAD_WORDS = "are 3 to 64 visible ASCII characters each";

const effectOf = (wanted: WantedTuning, { source }: TuningBase, enforced: readonly Enforced[]): Effect => {
  const { match, change } = wanted;
  if (change.op === "allow") return "loosen";
  if (change.op === "detect") return "tighten";
  const before = tunedBy(source, enforced).source;
  const after = tunedBy(source, [...enforced, { ...wanted, id: "tried" }]).source;
  const comparison = compared(before, after, spotsOf(match));
  if (comparison === "same") throw bad("change", "has no effect: the rules in force do the same");
  return comparison === "stricter" ? "tighten" : "loosen";
};

/** One exact value that a person approves may go below the floor; nothing else. */
const mustKeepFloor = (wanted: WantedTuning, tuningBase: TuningBase, enforced: readonly Enforced[]): void => {
  const { match, change } = wanted;
  const floor = tuningBase.source.above?.find(({ name }) => name === FLOOR)?.rules ?? [];
  const before = tunedBy(tuningBase.source, enforced).source;
  if (change.op === "allow") {
    if (!match.value && spotsOf(match).every((spot) => isBound(before, floor, spot))) throw belowFloor();
    return;
  }
  const after = tunedBy(tuningBase.source, [...enforced, { ...wanted, id: "tried" }]).source;
  for (const spot of spotsOf(match)) {
    if (goesBelow({ before, after }, floor, spot)) throw belowFloor(spot);
    mustKeepDelta(wanted, tuningBase, spot);
  }
};

/** Whether an exception would change nothing there, for the floor says the same at every score. */
const isBound = ({ rules }: PolicySource, floor: readonly PolicyRule[], { type, origin }: Spot): boolean => {
  const own = thresholdsIn({ rules }, type, origin);
  const least = thresholdsIn({ rules: floor }, type, origin);
  const acting = stepsOf(own, least).filter((score) => isEnforced(actionFor(own, score)));
  return acting.length > 0 && acting.every((score) => rankOf(actionFor(least, score)) >= rankOf(actionFor(own, score)));
};

type Sources = { readonly before: PolicySource; readonly after: PolicySource };

/** Whether less would be done than was done, and than the floor asks for the type or any below it. */
export const goesBelow = (
  { before, after }: Sources,
  floor: readonly PolicyRule[],
  { type, origin }: Spot,
): boolean => {
  const [was, is] = [thresholdsIn(before, type, origin), thresholdsIn(after, type, origin)];
  const isRelated = (other: string) => type === other || type.startsWith(`${other}.`) || other.startsWith(`${type}.`);
  return floor
    .filter((rule) => isRelated(rule.type) && (!rule.origins || rule.origins.includes(origin)))
    .some(({ thresholds }) =>
      stepsOf(was, is, thresholds).some((score) => {
        const now = rankOf(actionFor(is, score));
        return now < rankOf(actionFor(thresholds, score)) && now < rankOf(actionFor(was, score));
      }),
    );
};

/** Counted from the subject's own threshold, so that many small steps go no further than one. */
const mustKeepDelta = ({ change }: WantedTuning, { source, most_delta }: TuningBase, { type, origin }: Spot): void => {
  if (change.op !== "threshold" || most_delta === null) return;
  const own = thresholdsIn(source, type, origin)[change.action];
  if (own === undefined || change.to - own <= most_delta + ROUNDING) return;
  throw new GuardError(
    "below_floor",
    `The agent's profile allows raising thresholds by ${most_delta} at most (tunable.max_threshold_delta).`,
    { param: "change.to" },
  );
};
/** Scores are decimal fractions, and sums of those are not exact. */
const ROUNDING = 1e-9;

const bad = (param: string, should: string): GuardError =>
  new GuardError("invalid_value", `${param} ${should}.`, { param });

const belowFloor = (spot?: Spot): GuardError =>
  new GuardError(
    "below_floor",
    `The hub's floor keeps this as it is${spot ? ` (${spot.type}, ${spot.origin})` : ""}. Except one exact value instead, or choose a narrower change.`,
    { param: "change" },
  );
