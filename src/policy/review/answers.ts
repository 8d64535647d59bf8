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
