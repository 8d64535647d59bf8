import { isRecord, type JsonRecord } from "#core/json/json";
import type { Origin } from "#scan/detector";
import { logprobsOf } from "#scan/texts/logprobs";
import { hasOddValues, type Texts, Walk } from "#scan/texts/text-walk";
import { COMMON_RULES } from "#scan/texts/walk-rules";
import { answerField, requestWalk } from "#scan/texts/walk-table";

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
const CALL_ORIGINS: ReadonlyMap<string, Origin> = new Map([
  ["tool_calls", "tool_args"],
  ["function_call", "tool_args"],
]);

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
export const walkOfRequest = requestWalk({
  skips: new Set(["model"]),
  keys: KEY_ORIGINS,
  items: new Map([["messages", { byRole: ROLE_ORIGINS, keys: CALL_ORIGINS }]]),
  rules: COMMON_RULES,
});

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
    else answerField(walk, body, key);
  });
  return walk;
};

const choicesOf = (walk: Walk, choices: unknown[]): void =>
  walk.each(choices.length, (index) => {
    const choice: unknown = choices[index];
    const param = `choices[${index}]`;
    if (!isRecord(choice)) walk.value(choices, index, param, "output", 2);
    else if (choice["logprobs"] == null) walk.fields(choice, param, "output", 2, LOGPROBS);
    else withLogprobs(walk, choice, param);
  });

const withLogprobs = (walk: Walk, choice: JsonRecord, param: string): void =>
  walk.each(2, (at) => {
    if (at === 0) logprobsIn(walk, choice, param);
    else walk.fields(choice, param, "output", 2, LOGPROBS);
  });

/** Whether a text is said in a choice, beside its log probabilities. */
export const isSaidInChat = (choice: JsonRecord, text: string): boolean => {
  const message = isRecord(choice["message"]) ? choice["message"] : choice["delta"];
  return isRecord(message) && (text === message["content"] || text === message["refusal"]);
};

const logprobsIn = (walk: Walk, choice: JsonRecord, param: string, isSaid = isSaidInChat): void =>
  logprobsOf(walk, choice, param, (text) => isSaid(choice, text));

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
export const textsBeside = (
  chunk: JsonRecord,
  maxDepth: number,
  seen: JsonRecord = NOTHING,
  isSaid = isSaidInChat,
): Texts => {
  const walk = new Walk(maxDepth, false);
  const odd = new Walk(maxDepth, true);
  for (const key of Object.keys(chunk)) {
    const choices = chunk[key];
    if (key !== "choices" || !Array.isArray(choices)) {
      if (choices !== seen[key] || typeof choices === "object") answerField(walk, chunk, key);
      continue;
    }
    choices.forEach((choice: unknown, index) => {
      const param = `choices[${index}]`;
      if (!isRecord(choice)) walk.value(choices, index, param, "output", 2);
      else {
        logprobsIn(walk, choice, param, isSaid);
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
    settleSliced: async (pause) => {
      await walk.settleSliced(pause);
      await odd.settleSliced(pause);
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
