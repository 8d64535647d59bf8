import { isRecord, type JsonRecord } from "#core/json/json";
import type { Origin } from "#scan/detector";
import type { Walk } from "#scan/texts/text-walk";
import { COMMON_RULES, type KeyRule, type WalkRules } from "#scan/texts/walk-rules";
import { answerWalk, type ItemTable, type RequestTable, requestWalk } from "#scan/texts/walk-table";

/** Blocks that hold what a tool said, here or at the provider. */
export const RESULT_BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_result",
  "mcp_tool_result",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "advisor_tool_result",
]);

/** Blocks that call a tool. Only the first is for the caller to run. */
const CALL_BLOCKS = ["tool_use", "server_tool_use", "mcp_tool_use"];

/** Blocks that change which tools there are in the middle of a conversation. */
const DEFINITION_BLOCKS = ["tool_addition", "tool_removal", "mcp_tool_listing"];

const origins = (types: Iterable<unknown>, origin: Origin): [unknown, Origin][] =>
  Array.from(types, (type) => [type, origin]);

const BLOCKS: ItemTable = {
  byType: new Map([
    ...origins(RESULT_BLOCKS, "tool_result"),
    ...origins(CALL_BLOCKS, "tool_args"),
    ...origins(DEFINITION_BLOCKS, "tool_definition"),
  ]),
  keysOfType: new Map([["compaction", new Map([["tool_changes", "tool_definition"]])]]),
};

const KEY_ORIGINS: ReadonlyMap<string, Origin> = new Map([
  ["system", "system"],
  ["compaction", "system"],
  ["tools", "tool_definition"],
  ["tool_choice", "tool_definition"],
  ["mcp_servers", "tool_definition"],
  ["output_config", "tool_definition"],
  ["output_format", "tool_definition"],
]);

/** Encoded state that the provider signs or encrypts. */
export const OPAQUE: KeyRule = new Map([
  ["signature", new Set(["thinking", "signature_delta", "compaction", "compaction_delta"])],
  ["data", new Set(["redacted_thinking"])],
  [
    "encrypted_content",
    new Set(["web_search_result", "compaction", "compaction_delta", "advisor_redacted_result", "web_fetch_result"]),
  ],
  ["encrypted_index", new Set(["web_search_result_location"])],
  ["encrypted_stdout", new Set(["encrypted_code_execution_result"])],
]);

/**
 * What Claude Code puts between the words of its user: dates, memory files, instructions of its own, which read like an
 * attack to who takes them for the user's. They are documents. In its requests alone: what others let their users write
 * is theirs, whatever stands around it.
 */
const isOfClaudeCode = ({ system }: JsonRecord): boolean => {
  const first: unknown = Array.isArray(system) ? system[0] : null;
  const text = isRecord(first) ? first["text"] : null;
  return typeof text === "string" && text.startsWith("x-anthropic-billing-header: cc_version=");
};

const BEGIN = "<system-reminder>";
const END = "</system-reminder>";

/** Whether a text is reminders and nothing else: what the user wrote beside them stays the user's. */
const isReminders = (text: string): boolean => {
  let rest = text.trim();
  if (rest === "") return false;
  while (rest !== "") {
    const end = rest.startsWith(BEGIN) ? rest.indexOf(END) : -1;
    if (end < 0) return false;
    rest = rest.slice(end + END.length).trimStart();
  }
  return true;
};

function remindersAsDocuments(...[walk, holder, key, param]: Parameters<Looks>): boolean {
  if (Array.isArray(holder) || (key !== "text" && key !== "content")) return false;
  const text = holder[key];
  if (typeof text !== "string" || !isReminders(text)) return false;
  walk.joined(param, "tool_result", text, (next) => {
    holder[key] = next;
  });
  return true;
}

type Looks = NonNullable<WalkRules["looks"]>;

/** Names of Anthropic's published interface, as they may be shown in a path. */
const NAMES: ReadonlySet<string> = new Set(
  `system thinking source context cited_text document_title citation stop_sequences stop_sequence stop_details
  explanation output_config output_format mcp_servers authorization_token tool_configuration allowed_tools
  input_schema input_examples tool definition tool_changes server_name mcp_server_name stdout stderr lines
  return_code error_message metadata user_id compaction instructions context_management container skills
  signature encrypted_content encrypted_index encrypted_stdout cache_control tool_use_id file_id content_block
  partial_json page_age media_type error tabs`.split(/\s+/),
);

const ANSWER_RULES: WalkRules = {
  ...COMMON_RULES,
  opaque: OPAQUE,
  names: NAMES,
  envelope: /^(?:id|type|role|model|usage|stop_reason|container)(?:$|[.[])/,
};

/** Rules for events, whose message stands one level below. */
export const EVENT_RULES: WalkRules = {
  ...ANSWER_RULES,
  envelope: /^(?:type|index|usage|message\.(?:id|type|role|model|usage|stop_reason|container))(?:$|[.[])/,
};

const REQUEST_RULES: WalkRules = {
  ...COMMON_RULES,
  opaque: OPAQUE,
  names: NAMES,
  // Signed by the provider: changed thinking is refused by it.
  fixed: new Map([["thinking", new Set(["thinking"])]]),
  remote: new Map([["url", new Set(["url"])]]),
};

const REQUEST: RequestTable = {
  skips: new Set(["model"]),
  keys: KEY_ORIGINS,
  items: new Map([
    [
      "messages",
      {
        byRole: new Map<unknown, Origin>([
          ["system", "system"],
          ["assistant", "assistant"],
        ]),
        items: new Map([["content", BLOCKS]]),
      },
    ],
  ]),
  rules: REQUEST_RULES,
};

const walkOfAny = requestWalk(REQUEST);
const walkOfClaudeCode = requestWalk({ ...REQUEST, rules: { ...REQUEST_RULES, looks: remindersAsDocuments } });

/** Every text of a Messages request: the system prompt, all blocks of all turns, definitions, and whatever is unknown. */
export const walkOfRequest = (body: JsonRecord, maxDepth: number): Walk =>
  (isOfClaudeCode(body) ? walkOfClaudeCode : walkOfAny)(body, maxDepth);

/** Every text of a whole answer. */
export const walkOfAnswer = answerWalk(ANSWER_RULES);
