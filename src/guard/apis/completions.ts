import type { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { isNumber, numberOf } from "#core/json/json-number";
import { SSE_DONE, SSE_KEEP_ALIVE, sseData } from "#core/sse";
import { CompletionRequest } from "#model/small-apis";
import { logprobsOf } from "#scan/texts/logprobs";
import { tokenIdsIn } from "#scan/texts/token-ids";
import { COMMON_RULES, type WalkRules } from "#scan/texts/walk-rules";
import { answerWalk, requestWalk } from "#scan/texts/walk-table";
import type { ModelApi, RefusedRequest } from "./api";
import { CHAT } from "./chat";
import { ChatStream, type ChunkForm } from "./chat-stream";
import { dropLogprobs } from "./chat-texts";
import { OPENAI_ERRORS } from "./openai-errors";
import { encodingOfIds } from "./reading";

const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A block as a completion without text, for clients that take any 4xx for a fault of the connection. */
export const completionRefusal = (
  error: GuardError,
  { id, model, stream, wantsUsage, created }: RefusedRequest,
): string => {
  const base = { id: `cmpl-${id}`, object: "text_completion", created, model };
  const { event_id = null, guard = null } = error.extra ?? {};
  const choices = [{ index: 0, text: "", logprobs: null, finish_reason: "content_filter" }];
  const guardhouse = { event_id, guard, message: error.message };
  if (!stream) return JSON.stringify({ ...base, choices, usage: USAGE, guardhouse });
  const events = [{ ...base, choices, guardhouse }, ...(wantsUsage ? [{ ...base, choices: [], usage: USAGE }] : [])];
  return `${events.map(sseData).join("")}${SSE_DONE}`;
};

const PROMPT = "prompt";
const RULES: WalkRules = { ...COMMON_RULES, names: new Set([PROMPT, "suffix"]) };
const TABLE = { skips: new Set(["model"]), keys: new Map(), items: new Map(), rules: RULES };
const walkOfTexts = requestWalk(TABLE);
const LOGPROBS = /^choices\[\d+\]\.logprobs$/;

const isSaid = (choice: JsonRecord, text: string): boolean => text === choice["text"];

/** Log probabilities of a choice repeat its text. */
const looksAtLogprobs: NonNullable<WalkRules["looks"]> = (walk, holder, key, param) => {
  if (key !== "logprobs" || Array.isArray(holder) || !LOGPROBS.test(param)) return false;
  logprobsOf(walk, holder, param.slice(0, -".logprobs".length), (text) => isSaid(holder, text));
  return true;
};

/** What OpenAI calls completions: a prompt in, the text that follows it out. Code editors ask for them. */
export const COMPLETIONS: ModelApi = {
  name: "completions",
  kind: "completion",
  path: "/completions",
  request: {
    ...CHAT.request,
    schema: CompletionRequest,
    title: "a completions request",
    lengthKeys: ["max_tokens"],
    answersWanted: (body) =>
      promptsIn(body[PROMPT]) * Math.max(1, numberOf(body["n"]) ?? 1, numberOf(body["best_of"]) ?? 1),
    declaredTools: () => [],
    encodingOf: (body) => encodingOfIds(body, PROMPT),
    walk: (body, maxDepth, tokens) =>
      tokens === null
        ? walkOfTexts(body, maxDepth)
        : requestWalk({ ...TABLE, rules: { ...RULES, looks: tokenIdsIn(body, PROMPT, tokens) } })(body, maxDepth),
    speechOf: () => null,
  },
  answer: {
    ...CHAT.answer,
    walk: answerWalk({ ...COMMON_RULES, looks: looksAtLogprobs }),
    answeredCallsIn: () => [],
    dropCopies: dropLogprobs,
  },
  errors: { ...OPENAI_ERRORS, refusalOf: completionRefusal },
  stream: (wish) => new ChatStream(wish, FORM),
  keepAlive: SSE_KEEP_ALIVE,
};

/** How many prompts one is: a list of them, unless it is one of token ids. */
const promptsIn = (prompt: unknown): number =>
  Array.isArray(prompt) && !prompt.some(isNumber) ? Math.max(1, prompt.length) : 1;

/** A choice has its text in itself: there is no role, and no refusal. */
const FORM: ChunkForm = {
  object: "text_completion",
  place: (choice) => `choices[${choice}]`,
  isSaid,
  ending: (index) => [{ index, text: "", logprobs: null, finish_reason: "content_filter" }],
};
