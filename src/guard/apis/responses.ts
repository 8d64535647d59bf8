import { SSE_KEEP_ALIVE } from "#core/sse";
import type { ModelApi, RequestSide } from "#guard/apis/api";
import { OPENAI_ERRORS_WHOLE } from "#guard/apis/openai-errors";
import { stringAt } from "#guard/apis/reading";
import { dropLogprobs, finishReasonsOf } from "#guard/apis/responses-answer";
import { refusedResponse } from "#guard/apis/responses-refusal";
import { declaredTools, serverToolsIn } from "#guard/apis/responses-server-tools";
import { itemIdsIn, keepNothing, keptIdsIn, keptStateIn, withoutEncryptedReasoning } from "#guard/apis/responses-state";
import { ResponsesStream } from "#guard/apis/responses-stream";
import { REPEATED_PLACES, walkOfAnswer, walkOfRequest } from "#guard/apis/responses-texts";
import { answeredCallsIn, speechOf } from "#guard/apis/responses-tools";
import { conversationOf } from "#model/chat";
import { CompactRequest, ResponsesRequest, responseUsage } from "#model/responses";

const REQUEST: RequestSide = {
  schema: ResponsesRequest,
  title: "a Responses request",
  modelOf: (body) => stringAt(body, "model"),
  setModel: (body, model) => {
    body["model"] = model;
  },
  wantsStream: (body) => body["stream"] === true,
  wantsUsage: () => true,
  // Codex CLI names its sessions and threads in headers; older ones with an underscore.
  conversationOf: (header, body) =>
    conversationOf(header("x-conversation-id") ?? header("session-id") ?? header("session_id"), body),
  subAgentHeaders: { id: "thread-id", parent: "x-codex-parent-thread-id", kind: "x-openai-subagent" },
  // Codex CLI takes an incomplete response for a broken connection, and sends the request five times more.
  asksAgain: (header) => /^codex/i.test(header("originator") ?? ""),
  lengthKeys: ["max_output_tokens"],
  answersWanted: () => 1,
  declaredTools,
  serverTools: serverToolsIn,
  keptState: keptStateIn,
  walk: walkOfRequest,
  speechOf,
  passedHeaders: [],
};

/** OpenAI's Responses. */
export const RESPONSES: ModelApi = {
  name: "responses",
  kind: "responses.create",
  path: "/responses",
  request: { ...REQUEST, keepNothing, repaired: withoutEncryptedReasoning },
  answer: {
    keptIds: keptIdsIn,
    itemIds: itemIdsIn,
    walk: walkOfAnswer,
    toolInput: /^(?:output\[\d+\]|item)\.(?:arguments|input|actions?|operation|code|queries)(?:[.[]|$)/,
    repeated: REPEATED_PLACES,
    usageOf: responseUsage,
    finishReasonsOf,
    answeredCallsIn,
    dropCopies: dropLogprobs,
  },
  errors: { ...OPENAI_ERRORS_WHOLE, refusalOf: refusedResponse },
  stream: (wish) => new ResponsesStream(wish),
  keepAlive: SSE_KEEP_ALIVE,
};

/** A conversation as its provider compacts it. A block is an error: a conversation that was left out would be lost. */
export const COMPACT: ModelApi = {
  ...RESPONSES,
  kind: "responses.compact",
  path: "/responses/compact",
  request: {
    ...REQUEST,
    schema: CompactRequest,
    title: "a compact request",
    wantsStream: () => false,
    lengthKeys: [],
  },
  errors: { ...OPENAI_ERRORS_WHOLE, refusalOf: null },
  stream: null,
};

/** How many tokens a request would have: nothing is generated. */
export const INPUT_TOKENS: ModelApi = {
  ...COMPACT,
  kind: "responses.input_tokens",
  path: "/responses/input_tokens",
  request: { ...COMPACT.request, title: "an input_tokens request" },
  answer: { ...RESPONSES.answer, usageOf: () => NOTHING_USED, finishReasonsOf: () => [] },
};

const NOTHING_USED = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
