/** Plain words under these keys are protocol (`role: "user"`); whatever is no plain word is scanned like any text. */
export const PROTOCOL_KEYS = new Set(["role", "type", "id", "object", "finish_reason", "tool_call_id", "detail"]);

/** Field names of the published chat-completions interface and of JSON Schema, as they may be shown in a path. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set(
  `messages content text name refusal tool_calls tool_call_id function function_call arguments custom input audio data
  transcript image_url url input_audio file file_data filename file_id tools functions description parameters
  properties items enum const default examples title tool_choice allowed_tools response_format json_schema schema
  format grammar definition prediction stop metadata conversation_id user safety_identifier prompt_cache_key
  web_search_options user_location approximate city country region timezone extra_body choices message delta
  annotations url_citation reasoning reasoning_content reasoning_details logprobs logit_bias stream_options modalities
  index detail type role id citations documents structuredContent resource blob uri mimeType isError inputResponses
  requestState inputRequests message model usage system_fingerprint service_tier finish_reason`.split(/\s+/),
);

/** What a tool is given: of functions, and of custom tools. */
export const TOOL_INPUT_KEYS: ReadonlySet<string> = new Set(["arguments", "input"]);

/** Names that say what a value is only beside the name of what it belongs to: an invoice's `number`. */
export const BARE_NAMES: ReadonlySet<string> = new Set(["number", "num", "no", "nr", "code", "value"]);

export const shownName = (key: string): string => (KNOWN_NAMES.has(key) ? key : "*");

/** A path of names as it came, as it may be shown: names we do not know are content. */
export const shownPath = (path: string): string =>
  path.replace(/[^.[\]]+/g, (name) => (/^\d+$/.test(name) ? name : shownName(name)));

/** Names no detector can match: words of letters joined by single marks, without long runs of anything. */
export const PLAIN_NAME = /^[a-z]{1,24}(?:[_.-]?[a-zA-Z]{1,24}){0,3}$/;

export const isPlainName = (name: string): boolean => KNOWN_NAMES.has(name) || PLAIN_NAME.test(name);
