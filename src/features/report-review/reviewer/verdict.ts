import type { Direction, DisputeVerdict } from "#model/report";
import type { LlmReview } from "./reply";

/** A verdict below this is none. */
export const MIN_CONFIDENCE = 0.7;

/** Two readings made one: they have to agree, and the less sure of them has to be sure. */
export const verdictOf = (one: LlmReview, other: LlmReview): LlmReview => {
  const confidence = Math.min(one.confidence, other.confidence);
  if (one.verdict !== other.verdict) {
    const reasoning = `Two readings disagree (${one.verdict}, ${other.verdict}). ${one.reasoning}`;
    return { verdict: "inconclusive", confidence, reasoning };
  }
  const verdict: DisputeVerdict = confidence < MIN_CONFIDENCE ? "inconclusive" : one.verdict;
  return { verdict, confidence, reasoning: one.reasoning };
};

/** Whether something follows from a verdict: a wrong block is loosened, a miss that should have been caught tightened. */
export const asksForChange = (direction: Direction, verdict: DisputeVerdict): boolean =>
  direction === "false_positive" ? verdict === "false_positive" : verdict === "true_positive";
