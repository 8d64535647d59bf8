import { GuardError } from "#core/errors";
import { comparableForm } from "#model/kept-content";
import type { TuningChange, TuningMatch } from "#policy/tuning/rule";
import { type GivenChange, type GivenMatch, type GivenValue, SHOWN_HASH } from "#policy/tuning/shape";
import { spotsOf } from "#policy/tuning/strictness";
import type { WantedTuning } from "#policy/tuning/validity";
import type { PolicySource } from "#scan/policy";
import { thresholdsIn } from "#scan/policy";

type Means = {
  /** Keyed, lower-case hexadecimal. */
  readonly hashOf: (text: string) => string;
  /** The policy of the subject as it is now: what a threshold is moved from, where that is not said. */
  readonly source: PolicySource;
};

type Given = { readonly match?: GivenMatch | undefined; readonly change?: GivenChange | undefined };

/**
 * What was sent as it is kept: of a value only its keyed hash. What is not said stays as it was `before`. Throws
 * `invalid_value`.
 */
export const wantedOf = (given: Given, before: WantedTuning | null, means: Means): WantedTuning => {
  const match = given.match ? matchOf(given.match, before, means) : before?.match;
  if (!match) throw new GuardError("invalid_value", "match is missing.", { param: "match" });
  const change = given.change ? changeOf(given.change, match, means) : before?.change;
  if (!change) throw new GuardError("invalid_value", "change is missing.", { param: "change" });
  const types = match.types.length === 0 && change.op === "detect" ? ["custom"] : match.types;
  return { match: { ...match, types }, change };
};

const matchOf = (
  { types = [], origins, context, value, pattern, keywords }: GivenMatch,
  before: WantedTuning | null,
  means: Means,
): TuningMatch => ({
  types,
  ...(origins && { origins: [...new Set(origins)] }),
  ...(context !== undefined && { context }),
  ...(value && { value: keptValue(value, before, means) }),
  ...(pattern !== undefined && { pattern }),
  ...(keywords && { keywords: keywords.map((keyword) => keyword.trim().toLowerCase()) }),
});

const keptValue = (
  { text, hash, of }: GivenValue,
  before: WantedTuning | null,
  { hashOf }: Means,
): NonNullable<TuningMatch["value"]> => {
  if (text !== undefined && hash === undefined) return { hash: hashOf(comparableForm(text)), of };
  const known = before?.match.value;
  if (text === undefined && known && known.of === of && hash === known.hash.slice(0, SHOWN_HASH)) return known;
  throw new GuardError("invalid_value", "match.value must be a text, or the hash of the present value.", {
    param: "match.value",
  });
};

const changeOf = (given: GivenChange, match: TuningMatch, { source }: Means): TuningChange => {
  if (given.op !== "threshold") return given;
  const { op, action, from, to } = given;
  if (from !== undefined) return { op, action, from, to };
  const [first] = spotsOf(match);
  return { op, action, from: (first && thresholdsIn(source, first.type, first.origin)[action]) ?? null, to };
};
