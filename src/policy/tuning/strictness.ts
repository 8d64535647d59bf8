import { ACTIONS, type Action, ORIGINS, type Origin } from "#scan/detector";
import { actionFor, type PolicySource, type Thresholds, thresholdsIn } from "#scan/policy";
import type { TuningMatch } from "./rule";

/** A flag type at one origin. */
export type Spot = { readonly type: string; readonly origin: Origin };

/** Where a rule about types changes a policy. What has a rule of its own further down is no concern of it. */
export const spotsOf = ({ types, origins }: Pick<TuningMatch, "types" | "origins">): Spot[] =>
  types.flatMap((type) => (origins ?? ORIGINS).map((origin) => ({ type, origin })));

/** The scores between which what thresholds do stays the same: each interval begins with one. */
export const stepsOf = (...all: readonly Thresholds[]): number[] => [
  ...new Set([0, ...all.flatMap((thresholds) => Object.values(thresholds))]),
];

export const rankOf = (action: Action): number => ACTIONS.indexOf(action);

export type Comparison = "same" | "stricter" | "looser";

/** How one policy compares with another at these spots, at every score. Looser at one score is looser. */
export const compared = (
  before: Pick<PolicySource, "rules">,
  after: Pick<PolicySource, "rules">,
  spots: readonly Spot[],
): Comparison => {
  let result: Comparison = "same";
  for (const { type, origin } of spots) {
    const [was, is] = [thresholdsIn(before, type, origin), thresholdsIn(after, type, origin)];
    for (const score of stepsOf(was, is)) {
      const difference = rankOf(actionFor(is, score)) - rankOf(actionFor(was, score));
      if (difference < 0) return "looser";
      if (difference > 0) result = "stricter";
    }
  }
  return result;
};
