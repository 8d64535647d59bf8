import type { JsonRecord } from "#core/json/json";
import { textAt } from "#features/verdicts/reading";
import type { Harness, HarnessEvent } from "./harness";

/*
 * Gemini CLI's hooks (BeforeAgent, BeforeTool, AfterTool). A denial after a tool keeps its answer from the model. They allow
 * or deny, and cannot ask.
 */

const eventOf = (body: JsonRecord): HarnessEvent => {
  const tool = textAt(body, "tool_name");
  switch (body["hook_event_name"]) {
    case "BeforeAgent":
      return { moment: "prompt", at: { holder: body, key: "prompt" } };
    case "BeforeTool":
      return { moment: "before_tool", tool, at: { holder: body, key: "tool_input" } };
    case "AfterTool":
      return { moment: "after_tool", tool, at: { holder: body, key: "tool_response" }, isReplaceable: false };
    default:
      return { moment: "other" };
  }
};

export const GEMINI: Harness = {
  system: "gemini",
  sessionOf: (body) => textAt(body, "session_id"),
  eventOf,
  folderOf: (body) => textAt(body, "cwd"),
  canAsk: () => false,
  answerOf: ({ decision, reason }, { moment }) =>
    decision === "deny" && moment !== "other" ? { decision: "deny", reason } : {},
};
