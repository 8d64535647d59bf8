import { describe, expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { AnswersCheck } from "#policy/review/answers";
import { SECTION_KEYS } from "#policy/review/questionnaire";
import { answers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const check = new AnswersCheck();

/** Where a fault is, and what is said of it. */
const faultOf = (given: unknown, draft = false): [param: string | undefined, message: string] => {
  try {
    if (draft) check.ofDraft(given);
    else check.ofSubmission(given);
  } catch (error) {
    if (error instanceof GuardError && error.code === "invalid_value") return [error.param, error.message];
    throw error;
  }
  return [undefined, "nothing is wrong"];
};

describe("answers as people write them", () => {
  test("all nine sections are needed to submit; any part makes a draft", () => {
    verifies("review.answers");
    expect(check.ofSubmission(answers())).toEqual(answers());
    for (const section of SECTION_KEYS) {
      const { [section]: _, ...rest } = answers();
      expect(faultOf(rest)[0]).toBe(`answers.${section}`);
      expect(faultOf(rest, true)).toEqual([undefined, "nothing is wrong"]);
    }
    expect(faultOf({ oversight: {} }, true)).toEqual([undefined, "nothing is wrong"]);
    expect(faultOf({ oversight: { autonomy: "rule" } }, true)[0]).toBe("answers.oversight.autonomy");
  });

  test("the section on data goes by both its names, but not at once", () => {
    verifies("review.answers");
    const { data_privacy, ...rest } = answers();
    expect(check.ofSubmission({ ...rest, data: data_privacy })).toEqual(answers());
    expect(faultOf({ ...answers(), data: data_privacy })[0]).toBe("answers.data");
  });

  test("a misspelt name is named before what is missing because of it", () => {
    verifies("review.answers");
    const given = { ...answers(), oversight: { autonmy: "act" } };
    expect(faultOf(given)).toEqual(["answers.oversight.autonmy", "answers.oversight.autonmy is not known here."]);
  });

  test("a wrong value is pointed at, and what is expected is said; what was sent is not", () => {
    verifies("review.answers");
    const tools = [
      { server: "files", tool: "read", effect: "read" },
      { tool: "x", effect: "hunter2" },
    ];
    const [param, message] = faultOf(answers({ tools: JSON.parse(JSON.stringify({ tools })) }));
    expect(param).toBe("answers.tools.tools[1].effect");
    expect(message).toContain("One of read, write, pay, send, delete");
    expect(message).not.toContain("hunter2");
    const [odd, said] = faultOf({ ...answers(), monitoring: { "my password is hunter2": 1 } });
    expect(odd).toBe("answers.monitoring");
    expect(said).not.toContain("hunter2");
  });
});
