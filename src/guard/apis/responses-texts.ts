import type { Origin } from "#scan/detector";
import { logprobsOf } from "#scan/texts/logprobs";
import { COMMON_RULES, type KeyRule, type WalkRules } from "#scan/texts/walk-rules";
import { answerWalk, type ItemTable, requestWalk } from "#scan/texts/walk-table";

/** Items that hold what a tool said, run by the caller or by the provider. */
export const RESULT_ITEMS: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "computer_call_output",
  "local_shell_call_output",
  "shell_call_output",
  "apply_patch_call_output",
  "program_output",
]);

/** Items that call a tool. */
const CALL_ITEMS = [
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "code_interpreter_call",
  "file_search_call",
  "web_search_call",
  "image_generation_call",
  "mcp_call",
  "mcp_approval_request",
  "tool_search_call",
  "program",
];

/** Items that change which tools there are, or the form of answers, in the middle of a conversation. */
const DEFINITION_ITEMS = ["mcp_list_tools", "additional_tools", "tool_search_output", "configuration_update"];

/** Keys of calls that the provider ran, and put the result of beside what the tool was given. */
export const RESULT_KEYS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ["mcp_call", new Set(["output", "error"])],
  ["code_interpreter_call", new Set(["outputs"])],
  ["file_search_call", new Set(["results"])],
  ["web_search_call", new Set(["results"])],
  ["image_generation_call", new Set(["result", "error"])],
]);

const origins = (types: Iterable<unknown>, origin: Origin): [unknown, Origin][] =>
  Array.from(types, (type) => [type, origin]);

const ITEMS: ItemTable = {
  byType: new Map([
    ...origins(RESULT_ITEMS, "tool_result"),
    ...origins(CALL_ITEMS, "tool_args"),
    ...origins(DEFINITION_ITEMS, "tool_definition"),
    ...origins(["reasoning", "compaction"], "assistant"),
  ]),
  byRole: new Map<unknown, Origin>([
    ["system", "system"],
    ["developer", "system"],
    ["assistant", "assistant"],
  ]),
  keysOfType: new Map(
    [...RESULT_KEYS].map(([type, keys]): [unknown, ReadonlyMap<string, Origin>] => [
      type,
      new Map([...keys].map((key): [string, Origin] => [key, "tool_result"])),
    ]),
  ),
};

/** Whose words stand where in a request; a response repeats most of them. */
const KEY_ORIGINS: ReadonlyMap<string, Origin> = new Map([
  ["instructions", "system"],
  ["tools", "tool_definition"],
  ["tool_choice", "tool_definition"],
  ["text", "tool_definition"],
]);

/** What of the request a response repeats. */
export const REPEATED: ReadonlyMap<string, Origin> = new Map([
  ...KEY_ORIGINS,
  ...["metadata", "prompt", "prompt_cache_key", "safety_identifier", "user"].map((key): [string, Origin] => [
    key,
    "user",
  ]),
]);

/** Encoded state that the provider encrypts or signs. */
export const OPAQUE: KeyRule = new Map([
  ["encrypted_content", new Set(["reasoning", "compaction", "compaction_summary", "context_compaction"])],
  ["fingerprint", new Set(["program"])],
]);

/** Names of OpenAI's published interface, as they may be shown in a path. */
const NAMES: ReadonlySet<string> = new Set(
  `instructions output output_text summary action actions operation code outputs logs results queries query sources
  pattern command commands env working_directory stdout stderr diff path error error_message result revised_prompt
  server_label server_url server_description authorization headers connector_id tunnel_id allowed_tools tool_names
  require_approval approval_request_id reason container network_policy allowed_domains domain_secrets domain filters
  environment skills source file_url variables prompt encrypted_content fingerprint incomplete_details
  call_id container_id previous_response_id reasoning namespace response item part`.split(/\s+/),
);

/** Fields in which a provider speaks of the response, and of an item of it. */
const ENVELOPE = `id object created_at completed_at model usage status service_tier truncation max_output_tokens
  max_tool_calls temperature top_p top_logprobs`.split(/\s+/);
const ITEM_ENVELOPE = "id|type|status|call_id";

/** Pictures in base64. */
const FILES: KeyRule = new Map([
  ["result", new Set(["image_generation_call"])],
  ["partial_image_b64", null],
  ["delta", new Set(["response.audio.delta"])],
]);

const RULES: WalkRules = {
  ...COMMON_RULES,
  json: new Map([
    ["arguments", null],
    ["input", new Set(["custom_tool_call"])],
  ]),
  opaque: OPAQUE,
  files: FILES,
  names: new Set([...NAMES, ...ENVELOPE]),
};

/** Log probabilities repeat the text of their part. In a request all of them is looked at by itself. */
const looksAtLogprobs =
  (origin: Origin): Looks =>
  (walk, holder, key, param) => {
    if (key !== "logprobs" || Array.isArray(holder) || holder["type"] !== "output_text") return false;
    const isSaid = (text: string) => origin === "output" && text === holder["text"];
    logprobsOf(walk, holder, param.slice(0, -".logprobs".length), isSaid, origin);
    return true;
  };

type Looks = NonNullable<WalkRules["looks"]>;

const REPEATED_NAMES = [...REPEATED.keys()].join("|");

/** Places of what a response repeats of its request. */
export const REPEATED_PLACES = new RegExp(`^(?:${REPEATED_NAMES})(?:$|[.[])`);

export const ANSWER_RULES: WalkRules = {
  ...RULES,
  repeated: REPEATED_PLACES,
  envelope: new RegExp(`^(?:${ENVELOPE.join("|")}|output\\[\\d+\\]\\.(?:${ITEM_ENVELOPE}))(?:$|[.[])`),
  looks: looksAtLogprobs("output"),
};

/** Every text of a Responses request: instructions, all items, definitions, and whatever is unknown. */
export const walkOfRequest = requestWalk({
  skips: new Set(["model"]),
  keys: KEY_ORIGINS,
  items: new Map([
    ["input", ITEMS],
    ["instructions", ITEMS],
  ]),
  rules: {
    ...RULES,
    looks: looksAtLogprobs("assistant"),
    remote: new Map([
      ["image_url", null],
      ["file_url", null],
    ]),
  },
});

/** Every text of a whole response. */
export const walkOfAnswer = answerWalk(ANSWER_RULES, REPEATED);
