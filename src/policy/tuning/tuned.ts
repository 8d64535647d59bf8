import type { CustomRule } from "#scan/custom";
import { type Action, ORIGINS, type Origin } from "#scan/detector";
import { type PolicyRule, type PolicySource, type Thresholds, thresholdsIn } from "#scan/policy";
import type { TuningRule } from "./rule";

/** The flag type of a pattern that a tuning rule adds. */
export const addedType = ({ id }: Pick<TuningRule, "id">): string => `custom.${addedId(id)}`;

/** Ids of custom rules are at most 40 characters. */
const addedId = (id: string): string => `t-${id.replaceAll("-", "")}`;

/** What of a rule says what it does. */
type AppliedRule = Pick<TuningRule, "id" | "match" | "change">;

export type Tuned = {
  readonly source: PolicySource;
  /** Patterns the rules add. */
  readonly added: readonly CustomRule[];
};

/**
 * A policy under the rules that change what is done about a type, or add a pattern. Exceptions are not among them: they
 * are about single findings (`amended`). Layers above stay as they are: nothing here goes below them.
 */
export const tunedBy = (source: PolicySource, rules: readonly AppliedRule[]): Tuned => {
  const changed = rules.flatMap((rule) => policyRulesOf(source, rule));
  const added = rules.flatMap(customRuleOf);
  return changed.length === 0
    ? { source, added }
    : { source: { ...source, rules: [...source.rules, ...changed] }, added };
};

/** One a type and origin, so that none goes further than the rule it takes the place of. */
const policyRulesOf = (source: PolicySource, { id, match, change }: AppliedRule): PolicyRule[] => {
  if (change.op === "detect") {
    const { origins } = match;
    return [{ type: addedType({ id }), ...(origins && { origins }), thresholds: { [change.action]: 0.5 } }];
  }
  if (change.op === "allow") return [];
  return match.types.flatMap((type) =>
    (match.origins ?? ORIGINS).map((origin: Origin) => ({
      type,
      origins: [origin],
      thresholds:
        change.op === "threshold"
          ? { ...thresholdsIn(source, type, origin), [change.action]: change.to }
          : moved(thresholdsIn(source, type, origin), change.from, change.to),
    })),
  );
};

const moved = (thresholds: Thresholds, from: Action, to: Action): Thresholds => {
  const { flag, redact, block } = thresholds;
  const scores: Record<Action, number | undefined> = { allow: undefined, flag, redact, block };
  const score = scores[from];
  if (score === undefined) return thresholds;
  scores[from] = undefined;
  if (to !== "allow") scores[to] = Math.min(score, scores[to] ?? 1);
  return {
    ...(scores.flag !== undefined && { flag: scores.flag }),
    ...(scores.redact !== undefined && { redact: scores.redact }),
    ...(scores.block !== undefined && { block: scores.block }),
  };
};

const customRuleOf = ({ id, match, change }: AppliedRule): CustomRule[] => {
  const { pattern, keywords } = match;
  if (change.op !== "detect") return [];
  if (pattern === undefined) return keywords ? [{ id: addedId(id), words: keywords }] : [];
  return [{ id: addedId(id), pattern, ...(keywords && { keywords }) }];
};
