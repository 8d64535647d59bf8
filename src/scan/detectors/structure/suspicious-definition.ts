import type { Detector } from "#scan/detector";
import { DEFINITION_SCORE, DEFINITION_TYPE, HELD_FROM, signsIn, weightOf } from "#scan/structure/definition-signs";

/**
 * A tool's definition, in a request, that has what definitions do not need. Those of connected tool servers are held for
 * a person: `guard/tools/discovery.ts`. It has no anchors.
 */
export const suspiciousDefinition: Detector = {
  id: DEFINITION_TYPE,
  category: "tool",
  severity: "high",
  reach: 0,
  behind: 0,
  maxScore: DEFINITION_SCORE,
  keywords: [],
  origins: ["tool_definition"],
  read: () => null,
  whole: {
    origins: ["tool_definition"],
    paragraphsOf: [],
    score: (folded) => (weightOf(signsIn(folded).map(({ id }) => id)) >= HELD_FROM ? DEFINITION_SCORE : 0),
  },
};
