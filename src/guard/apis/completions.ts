import type { JsonRecord } from "#core/json/json";
import { isNumber, numberOf } from "#core/json/json-number";
import { SSE_KEEP_ALIVE } from "#core/sse";
import type { ModelApi } from "#guard/apis/api";
import { CHAT } from "#guard/apis/chat";
import { ChatStream, type ChunkForm } from "#guard/apis/chat-stream";
import { dropLogprobs } from "#guard/apis/chat-texts";
import { completionRefusal } from "#guard/apis/completions-refusal";
import { OPENAI_ERRORS } from "#guard/apis/openai-errors";
import { encodingOfIds } from "#guard/apis/token-ids";
import { CompletionRequest } from "#model/completions";
import { logprobsOf } from "#scan/texts/logprobs";
import { tokenIdsIn } from "#scan/texts/token-ids";
import { COMMON_RULES, type WalkRules } from "#scan/texts/walk-rules";
import { answerWalk, requestWalk } from "#scan/texts/walk-table";

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
