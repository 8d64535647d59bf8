import { textAt } from "#features/verdicts/reading";
import { beforeTool, CLAUDE_CODE } from "./claude-code";
import type { Harness, HarnessEvent } from "./harness";

/*
 * Codex's hooks are given what Claude Code's are, and can refuse; they can neither ask its user nor show its model another
 * answer of a tool.
 */

const unreplaceable = (event: HarnessEvent): HarnessEvent =>
  event.moment === "after_tool" ? { ...event, isReplaceable: false } : event;

export const CODEX: Harness = {
  system: "codex",
  sessionOf: (body) => textAt(body, "session_id"),
  eventOf: (body) => unreplaceable(CLAUDE_CODE.eventOf(body)),
  folderOf: CLAUDE_CODE.folderOf,
  canAsk: () => false,
  answerOf: ({ decision, reason }, event) => {
    if (decision !== "deny" || event.moment === "other") return {};
    return event.moment === "before_tool" ? beforeTool("deny", reason) : { decision: "block", reason };
  },
};
