import { isRecord, type JsonRecord } from "#core/json";
import type { Origin } from "#core/scan/detector";
import { type Texts, Walk } from "#core/text-walk";

/** Maps, because a caller chooses the key: `constructor` is in every object. */
const ROLE_ORIGINS: ReadonlyMap<unknown, Origin> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["tool", "tool_result"],
  ["function", "tool_result"],
]);
const KEY_ORIGINS: ReadonlyMap<string, Origin> = new Map([
  ["tools", "tool_definition"],
  ["functions", "tool_definition"],
  ["tool_choice", "tool_definition"],
  ["response_format", "tool_definition"],
]);
const TOOL_CALL_KEYS: ReadonlySet<string> = new Set(["tool_calls", "function_call"]);

/**
 * Every text of a chat-completions request: all messages of all roles, all parts, tool calls and results,
 * schemas, names, metadata, stop sequences, prediction, and whatever is unknown.
 */
export const textsOfRequest = (body: JsonRecord, maxDepth: number): Texts => {
  const walk = walkOfRequest(body, maxDepth);
  walk.run();
  return walk;
};

/** As `textsOfRequest`, still to be run: in one piece, or with `walkSliced`. */
export const walkOfRequest = (body: JsonRecord, maxDepth: number): Walk => {
  const walk = new Walk(maxDepth);
  const keys = Object.keys(body);
  walk.begin(keys.length, (at) => {
    const key = keys[at] ?? "";
    if (key === "messages" && Array.isArray(body[key])) messages(walk, body[key]);
    else if (key !== "model") walk.field(body, key, KEY_ORIGINS.get(key) ?? "user");
  });
  return walk;
};

const messages = (walk: Walk, list: unknown[]): void =>
  walk.each(list.length, (index) => {
    const message = list[index];
    const param = `messages[${index}]`;
    if (!isRecord(message)) {
      walk.value(list, index, param, "user", 2);
      return;
    }
    const origin = ROLE_ORIGINS.get(message["role"]) ?? "user";
    const callKeys = [...TOOL_CALL_KEYS].filter((key) => key in message);
    if (callKeys.length === 0) walk.fields(message, param, origin, 2);
    else {
      walk.each(callKeys.length + 1, (at) => {
        const key = callKeys[at - 1];
        if (key === undefined) walk.fields(message, param, origin, 2, TOOL_CALL_KEYS);
        else walk.value(message, key, `${param}.${key}`, "tool_args", 2);
      });
    }
  });

/** What a provider says about itself rather than to the caller. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "usage",
  "system_fingerprint",
  "service_tier",
]);

/**
 * Every text of a whole chat-completions answer: all choices, all channels. `logprobs` repeat the text token by
 * token; they are left out here and dropped by `dropLogprobs` when anything is redacted.
 */
export const textsOfAnswer = (body: JsonRecord, maxDepth: number): Texts => {
  const walk = walkOfAnswer(body, maxDepth);
  walk.run();
  return walk;
};

/** As `textsOfAnswer`, still to be run: in one piece, or with `walkSliced`. */
export const walkOfAnswer = (body: JsonRecord, maxDepth: number): Walk => {
  const walk = new Walk(maxDepth);
  const keys = Object.keys(body).filter((key) => !ENVELOPE_KEYS.has(key));
  walk.begin(keys.length, (at) => {
    const key = keys[at] ?? "";
    const choices = body[key];
    if (key !== "choices" || !Array.isArray(choices)) {
      walk.field(body, key, "output");
      return;
    }
    walk.each(choices.length, (index) => {
      const choice: unknown = choices[index];
      if (isRecord(choice)) walk.fields(choice, `choices[${index}]`, "output", 2, LOGPROBS);
    });
  });
  return walk;
};

/** The texts inside a tool call's `arguments`, which hold JSON as a string. */
export const textsOfArguments = (
  holder: { arguments: string },
  param: string,
  origin: Origin,
  maxDepth: number,
): Texts => {
  const walk = new Walk(maxDepth);
  walk.json(holder, "arguments", param, origin, 0);
  return walk;
};

/** Whether an answer has anything beside its choices and what a provider says about itself. */
export const hasTextsBeside = (body: JsonRecord): boolean => {
  for (const key in body) if (key !== "choices" && !ENVELOPE_KEYS.has(key)) return true;
  return false;
};

/** Texts of an answer's part that is no choice, e.g. what a provider adds beside them. */
export const textsBeside = (body: JsonRecord, maxDepth: number): Texts => {
  const walk = new Walk(maxDepth);
  for (const key of Object.keys(body)) {
    if (key !== "choices" && !ENVELOPE_KEYS.has(key)) walk.field(body, key, "output");
  }
  return walk;
};

const LOGPROBS: ReadonlySet<string> = new Set(["logprobs"]);

/** Removes the token-by-token copy of the text, which a redaction would leave readable. */
export const dropLogprobs = (body: JsonRecord): void => {
  const choices = body["choices"];
  if (!Array.isArray(choices)) return;
  for (const choice of choices) {
    if (isRecord(choice) && choice["logprobs"] != null) choice["logprobs"] = null;
  }
};
