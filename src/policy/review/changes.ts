import { type Difference, differencesBetween } from "#core/differences";
import type { DraftAnswers } from "./questionnaire";

export type AnswerChange = Difference & {
  /** It changes what the agent is or may do, so that what was approved is another agent. */
  readonly material: boolean;
};

/** Models, tools, classes of data, autonomy, audience, egress and owner. All below counts too. */
const MATERIAL = [
  "/models/models",
  "/tools",
  "/data_privacy/data_classes",
  "/oversight/autonomy",
  "/purpose/audience",
  "/secrets_security/egress",
  "/secrets_security/egress_hosts",
  "/ownership/owner",
];

export const isMaterial = (pointer: string): boolean =>
  MATERIAL.some((place) => pointer === place || pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`));

/** What changed in the answers, as JSON pointers. */
export const changesBetween = (before: DraftAnswers, after: DraftAnswers): AnswerChange[] =>
  differencesBetween(before, after).map((change) => ({ ...change, material: isMaterial(change.pointer) }));
