import { Classifier, type LinearModel } from "#core/scan/classifier";
import { INJECTION_MODEL } from "#core/scan/classifier-weights";
import type { Detector } from "#core/scan/detector";

/** Below this a score says nothing: the model's own doubt about any text. */
const LEAST = 0.4;

/** Judges whole texts by their words: what reads like an attack though no rule names it. It has no anchors. */
export function classifierOf(model: LinearModel): Detector {
  const classifier = new Classifier(model);
  return {
    id: "injection.classifier",
    category: "injection",
    severity: "medium",
    reach: 0,
    behind: 0,
    maxScore: 0.99,
    keywords: [],
    read: () => null,
    whole: {
      origins: ["user", "assistant", "tool_result", "tool_definition"],
      score(folded) {
        const score = Math.min(0.99, classifier.score(folded));
        return score < LEAST ? 0 : score;
      },
    },
  };
}

export const injectionClassifier = classifierOf(INJECTION_MODEL);
