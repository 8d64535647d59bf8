import { isRecord, type JsonRecord } from "#core/json";
import { digitsOf, isNumber } from "#core/json-number";
import type { Origin } from "#core/scan/detector";
import { hasOddValues, isPlainName, type Texts, Walk } from "#core/text-walk";

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
  const keys = Object.keys(body);
  walk.begin(keys.length, (at) => {
    const key = keys[at] ?? "";
    const choices = body[key];
    if (key === "choices" && Array.isArray(choices)) choicesOf(walk, choices);
    else beside(walk, body, key);
  });
  return walk;
};

const choicesOf = (walk: Walk, choices: unknown[]): void =>
  walk.each(choices.length, (index) => {
    const choice: unknown = choices[index];
    const param = `choices[${index}]`;
    if (!isRecord(choice)) {
      walk.value(choices, index, param, "output", 2);
      return;
    }
    if (choice["logprobs"] == null) walk.fields(choice, param, "output", 2, LOGPROBS);
    else {
      walk.each(2, (at) => {
        if (at === 0) logprobsOf(walk, choice, param);
        else walk.fields(choice, param, "output", 2, LOGPROBS);
      });
    }
  });

/** A field of the answer itself. Times and counts of the envelope are as long as telephone numbers, and none. */
const beside = (walk: Walk, body: JsonRecord, key: string): void => {
  const value = body[key];
  if (!(typeof value === "number" && ENVELOPE_KEYS.has(key) && isCount(value))) walk.field(body, key, "output");
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < MAX_COUNT;

/** Seconds of a date to come, tokens of any call; shorter than the number of any card. */
const MAX_COUNT = 100_000_000_000;

/**
 * Log probabilities repeat the text in tokens. Their tokens are looked at as one text, since each alone is too short;
 * where something is found in it they go as a whole.
 */
const logprobsOf = (walk: Walk, choice: JsonRecord, param: string): void => {
  const logprobs = choice["logprobs"];
  if (logprobs == null) return;
  const tokens: Tokens = { said: [], others: [], isTooDeep: false };
  walk.each(2, (at) => {
    if (at === 0) tokensOf(walk, tokens, logprobs, "", 0);
    else joinTokens(walk, tokens, choice, `${param}.logprobs`);
  });
};

/** Texts of log probabilities: the tokens that were said, and everything else. */
type Tokens = { readonly said: string[]; readonly others: string[]; isTooDeep: boolean };

const joinTokens = (walk: Walk, { said, others, isTooDeep }: Tokens, choice: JsonRecord, param: string): void => {
  if (isTooDeep) {
    walk.gaps.push({ param, reason: "too_deep" });
    return;
  }
  const drop = () => {
    choice["logprobs"] = null;
  };
  const text = said.join("");
  const message = isRecord(choice["message"]) ? choice["message"] : choice["delta"];
  const isRepeated = isRecord(message) && (text === message["content"] || text === message["refusal"]);
  if (!isRepeated) walk.joined(param, "output", text, drop);
  walk.joined(param, "output", others.join("\n"), drop);
};

const MAX_LOGPROBS_DEPTH = 8;

/** Takes in what is below a value of log probabilities; nothing more once something lies too deep. */
const tokensOf = (walk: Walk, tokens: Tokens, value: unknown, key: string, depth: number): void => {
  if (tokens.isTooDeep) return;
  const { said, others } = tokens;
  if (typeof value === "string") (key === "tokens" || (key === "token" && depth <= 3) ? said : others).push(value);
  else if (isNumber(value)) {
    // A probability has a point; digits of a card have none.
    const digits = digitsOf(value);
    if (digits.length >= 9 && !digits.includes(".")) others.push(digits);
  } else if (Array.isArray(value)) {
    if (depth >= MAX_LOGPROBS_DEPTH) tokens.isTooDeep = true;
    else walk.each(value.length, (at) => tokensOf(walk, tokens, value[at], key, depth + 1));
  } else if (isRecord(value)) fieldsOf(walk, tokens, value, depth);
};

const fieldsOf = (walk: Walk, tokens: Tokens, record: JsonRecord, depth: number): void => {
  if (depth >= MAX_LOGPROBS_DEPTH) {
    tokens.isTooDeep = true;
    return;
  }
  const names = Object.keys(record);
  walk.each(names.length, (at) => {
    const name = names[at] ?? "";
    if (tokens.isTooDeep) return;
    if (!isPlainName(name)) tokens.others.push(name);
    tokensOf(walk, tokens, record[name], name, depth + 1);
  });
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

/**
 * Whether a chunk has anything to be looked at that is no text of its choices. `seen`: fields of an earlier chunk that
 * was looked at, since envelopes repeat themselves.
 */
export const hasTextsBeside = (chunk: JsonRecord, seen: JsonRecord = NOTHING): boolean => {
  for (const key in chunk) {
    const value = chunk[key];
    if (key === "choices" && Array.isArray(value)) {
      for (const choice of value)
        if (!isRecord(choice) || choice["logprobs"] != null || hasOddValues(choice)) return true;
    } else if (value !== null && (value !== seen[key] || typeof value === "object")) return true;
  }
  return false;
};

/** What `hasTextsBeside` speaks of: the envelope, odd choices, and of others names, numbers and protocol values. */
export const textsBeside = (chunk: JsonRecord, maxDepth: number, seen: JsonRecord = NOTHING): Texts => {
  const walk = new Walk(maxDepth, false);
  const odd = new Walk(maxDepth, true);
  for (const key of Object.keys(chunk)) {
    const choices = chunk[key];
    if (key !== "choices" || !Array.isArray(choices)) {
      if (choices !== seen[key] || typeof choices === "object") beside(walk, chunk, key);
      continue;
    }
    choices.forEach((choice: unknown, index) => {
      const param = `choices[${index}]`;
      if (!isRecord(choice)) walk.value(choices, index, param, "output", 2);
      else {
        logprobsOf(walk, choice, param);
        odd.fields(choice, param, "output", 2, LOGPROBS);
      }
    });
  }
  return {
    slots: [...walk.slots, ...odd.slots],
    gaps: [...walk.gaps, ...odd.gaps],
    isRewritten: walk.isRewritten || odd.isRewritten,
    settle: () => {
      walk.settle();
      odd.settle();
    },
  };
};

const NOTHING: JsonRecord = {};

const LOGPROBS: ReadonlySet<string> = new Set(["logprobs"]);

/** Removes the token-by-token copy of the text, which a redaction would leave readable. */
export const dropLogprobs = (body: JsonRecord): void => {
  const choices = body["choices"];
  if (!Array.isArray(choices)) return;
  for (const choice of choices) {
    if (isRecord(choice) && choice["logprobs"] != null) choice["logprobs"] = null;
  }
};
