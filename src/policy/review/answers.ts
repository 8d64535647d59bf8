import { type Difference, differencesBetween } from "#core/differences";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { ShapeCheck } from "#core/shape-check";
import { Answers, DraftAnswers } from "./questionnaire";

/** Answers to the questionnaire as somebody wrote them: checked, and under their own names. */
export class AnswersCheck {
  private readonly draft = new ShapeCheck(DraftAnswers, "answers");
  private readonly whole = new ShapeCheck(Answers, "answers");

  /** Any sections, each as far as it goes. Throws `invalid_value` with the JSON path. */
  ofDraft(given: unknown): DraftAnswers {
    return this.draft.check(renamed(given));
  }

  /** All that keeps answers from being submitted, a line each. */
  problems(given: unknown): string[] {
    return this.whole.problems(renamed(given));
  }

  /** All nine sections, complete: what can be submitted. Throws `invalid_value` with the JSON path. */
  ofSubmission(given: unknown): Answers {
    return this.whole.check(renamed(given));
  }
}

/** The section on data goes by either of its two names. */
const renamed = (given: unknown): unknown => {
  if (!isRecord(given) || !("data" in given)) return given;
  if ("data_privacy" in given) {
    throw new GuardError("invalid_value", "answers.data and answers.data_privacy are the same section: use one.", {
      param: "answers.data",
    });
  }
  const { data, ...rest } = given;
  return { ...rest, data_privacy: data };
};

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
