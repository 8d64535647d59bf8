import type { JsonRecord } from "#core/json/json";
import { textAt } from "#features/verdicts/reading";
import { type Harness, type HarnessEvent, readPlace } from "./harness";

/*
 * Hooks of Copilot's command line and coding agent. What they are given does not name the event: it is told by its fields.
 * What a hook says of a prompt or of a tool's answer is not looked at, so only calls of tools can be refused.
 */

const eventOf = (body: JsonRecord): HarnessEvent => {
  const tool = textAt(body, "toolName");
  if ("toolResult" in body) {
    return { moment: "after_tool", tool, at: { holder: body, key: "toolResult" }, isReplaceable: false };
  }
  if (tool !== "") return { moment: "before_tool", tool, at: readPlace({ holder: body, key: "toolArgs" }) };
  return "prompt" in body ? { moment: "prompt", at: { holder: body, key: "prompt" } } : { moment: "other" };
};

export const COPILOT: Harness = {
  system: "copilot",
  sessionOf: (body) => textAt(body, "sessionId"),
  eventOf,
  folderOf: (body) => textAt(body, "cwd"),
  canAsk: () => true,
  answerOf: ({ decision, reason }, { moment }) =>
    (decision === "deny" || decision === "ask") && moment === "before_tool"
      ? { permissionDecision: decision, permissionDecisionReason: reason }
      : {},
};
