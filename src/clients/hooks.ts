import type { JsonRecord } from "#core/json/json";
import type { VerdictSystem } from "#model/verdict";
import type { Entry, HookProof, Target } from "./client";

/** Longest a hook may take, in seconds: the command gives up after 8 itself. */
const TIMEOUT_S = 15;

const callOf = (harness: VerdictSystem): string => `hook --harness ${harness}`;

export const hookCommand = ({ guardhouse, hub }: Target, harness: VerdictSystem): string =>
  `${guardhouse} ${callOf(harness)} --url ${hub}`;

/** Entries for hooks in lists by event. */
const listed = (harness: VerdictSystem, items: readonly (readonly [event: string, item: JsonRecord])[]): Entry[] =>
  items.map(([event, item]) => ({ at: ["hooks", event], item, mark: callOf(harness) }));

/** Hooks in the form Claude Code has, and Codex after it. `more`: what each says beside its command. */
export const groupedHooks = (target: Target, harness: VerdictSystem, more: JsonRecord = {}): Entry[] => {
  const hooks = [{ type: "command", command: hookCommand(target, harness), timeout: TIMEOUT_S, ...more }];
  return listed(harness, [
    ["UserPromptSubmit", { hooks }],
    ["PreToolUse", { matcher: "*", hooks }],
    ["PostToolUse", { matcher: "*", hooks }],
  ]);
};

/** Hooks in Cursor's form. `more`: what each says beside its command. */
export const cursorHooks = (target: Target, more: JsonRecord = {}): Entry[] => {
  const item = { command: hookCommand(target, "cursor"), timeout: TIMEOUT_S, ...more };
  return [
    { at: ["version"], value: 1 },
    ...listed("cursor", [
      ["beforeSubmitPrompt", item],
      ["beforeShellExecution", item],
      ["beforeMCPExecution", item],
      ["beforeReadFile", item],
      // The others are judged by events of their own.
      ["preToolUse", { ...item, matcher: "Write|Delete" }],
    ]),
  ];
};

/** The proof of hooks in that form. */
export const groupedProof = (harness: VerdictSystem): HookProof => ({
  harness,
  prompt: (prompt) => ({ session_id: "guardhouse-connect", hook_event_name: "UserPromptSubmit", prompt }),
  isRefused: ({ decision }) => decision === "block",
});
