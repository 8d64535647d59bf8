import type { JsonRecord } from "#core/json/json";
import { textAt } from "#features/verdicts/reading";
import { type Harness, type HarnessEvent, withheld } from "./harness";

/*
 * Claude Code's hooks (UserPromptSubmit, PreToolUse, PostToolUse), as commands and by HTTP alike. A call that is allowed is
 * answered with nothing: `allow` would skip the permission prompts of the person.
 */

const eventOf = (body: JsonRecord): HarnessEvent => {
  const tool = textAt(body, "tool_name");
  switch (body["hook_event_name"]) {
    case "UserPromptSubmit":
      return { moment: "prompt", at: { holder: body, key: "prompt" } };
    case "PreToolUse":
      return { moment: "before_tool", tool, at: { holder: body, key: "tool_input" } };
    case "PostToolUse":
      return { moment: "after_tool", tool, at: { holder: body, key: "tool_response" }, isReplaceable: true };
    default:
      return { moment: "other" };
  }
};

export const CLAUDE_CODE: Harness = {
  system: "claude-code",
  sessionOf: (body) => textAt(body, "session_id"),
  eventOf,
  folderOf: (body) => textAt(body, "cwd"),
  canAsk: () => true,
  answerOf: ({ decision, reason }, event) => {
    if (decision === "allow" || event.moment === "other") return {};
    if (event.moment === "prompt") return { decision: "block", reason };
    if (event.moment === "before_tool") return beforeTool(decision === "ask" ? "ask" : "deny", reason);
    const { holder, key } = event.at;
    const updatedToolOutput = decision === "changed" ? holder[key] : withheld(holder[key], reason);
    return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } };
  },
};

export const beforeTool = (permissionDecision: "ask" | "deny", reason: string): JsonRecord => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision,
    permissionDecisionReason: reason,
  },
});
