import type { Direction, Verdict } from "#core/report";
import type { Reading } from "./reply";

/** A verdict below this is none. */
export const LEAST_CONFIDENCE = 0.7;

/** Two readings made one: they have to agree, and the less sure of them has to be sure. */
export const verdictOf = (one: Reading, other: Reading): Reading => {
  const confidence = Math.min(one.confidence, other.confidence);
  if (one.verdict !== other.verdict) {
    const reasoning = `Two readings disagree (${one.verdict}, ${other.verdict}). ${one.reasoning}`;
    return { verdict: "inconclusive", confidence, reasoning };
  }
  const verdict: Verdict = confidence < LEAST_CONFIDENCE ? "inconclusive" : one.verdict;
  return { verdict, confidence, reasoning: one.reasoning };
};

/** Whether something follows from a verdict: a wrong block is loosened, a miss that should have been caught tightened. */
export const asksForChange = (direction: Direction, verdict: Verdict): boolean =>
  direction === "false_positive" ? verdict === "false_positive" : verdict === "true_positive";
