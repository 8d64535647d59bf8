import type { JsonRecord } from "#core/json/json";
import { listAt, textAt } from "#features/verdicts/reading";
import { type Harness, type HarnessEvent, readPlace } from "./harness";

/*
 * Cursor's hooks. It takes an answer without `permission` for a fault of the hook, so a call that is allowed is answered
 * with it; what Cursor itself asks a person about is asked all the same.
 */

/** The tool's name where only the event says what is done. */
const SHELL = "Shell";
const READ = "Read";

const eventOf = (body: JsonRecord): HarnessEvent => {
  const tool = textAt(body, "tool_name");
  switch (body["hook_event_name"]) {
    case "beforeSubmitPrompt":
      return { moment: "prompt", at: { holder: body, key: "prompt" } };
    case "beforeShellExecution":
      return { moment: "before_tool", tool: SHELL, at: { holder: { given: pick(body, SHELL_KEYS) }, key: "given" } };
    case "beforeMCPExecution":
    case "preToolUse":
      return { moment: "before_tool", tool, at: readPlace({ holder: body, key: "tool_input" }) };
    // The file is read by then: its words go to the model.
    case "beforeReadFile":
      return {
        ...{ moment: "after_tool", tool: READ, at: { holder: body, key: "content" }, isReplaceable: false },
        file: textAt(body, "file_path"),
      };
    default:
      return { moment: "other" };
  }
};

const SHELL_KEYS = ["command", "cwd"];

const pick = (body: JsonRecord, keys: readonly string[]): JsonRecord =>
  Object.fromEntries(keys.flatMap((key) => (key in body ? [[key, body[key]]] : [])));

export const CURSOR: Harness = {
  system: "cursor",
  sessionOf: (body) => textAt(body, "conversation_id"),
  eventOf,
  folderOf: (body) => {
    const [root] = listAt(body, "workspace_roots");
    return textAt(body, "cwd") || (typeof root === "string" ? root : "");
  },
  // It takes the answer and asks nobody.
  canAsk: (body) => body["hook_event_name"] !== "preToolUse",
  answerOf: ({ decision, reason }, { moment }) => {
    const isDenied = decision === "deny";
    if (moment === "other") return {};
    if (moment === "prompt") return { continue: !isDenied, ...(isDenied && { user_message: reason }) };
    if (!isDenied && decision !== "ask") return { permission: "allow" };
    return { permission: decision, user_message: reason, agent_message: reason };
  },
};
