import { anthropicErrorBody, REQUEST_ID } from "#core/anthropic-error";
import { isRecord, type JsonRecord } from "#core/json/json";
import { sseNamed } from "#core/sse";
import { conversationOf } from "#model/chat";
import { MessagesRequest, messageUsage } from "#model/messages";
import type { ErrorSide, ModelApi } from "./api";
import { refusedMessage } from "./messages-refusal";
import { withoutRefusedThinking } from "./messages-repair";
import { declaredTools, serverToolsIn } from "./messages-server-tools";
import { MessagesStream } from "./messages-stream";
import { walkOfAnswer, walkOfRequest } from "./messages-texts";
import { answeredCallsIn, speechOf } from "./messages-tools";
import { stringAt } from "./reading";

/** Errors as Anthropic words them. */
export const ANTHROPIC_ERRORS: Omit<ErrorSide, "refusalOf"> = {
  bodyOf: anthropicErrorBody,
  headersOf: (callId) => ({ [REQUEST_ID]: callId }),
  // As it came: its clients act on the words, to compact, to drop thinking, to ask again without what was refused.
  ofProvider: (body) =>
    isRecord(body) && isRecord(body["error"])
      ? body
      : {
          type: "error",
          error: { type: "invalid_request_error", message: "The provider refused the request." },
        },
  // `overloaded_error` with 529 among them: clients wait and try again, or take another model.
  showsFailure: (body) => isRecord(body) && body["type"] === "error" && isRecord(body["error"]),
};

/** Anthropic's Messages. */
export const MESSAGES: ModelApi = {
  name: "messages",
  kind: "messages.create",
  path: "/messages",
  request: {
    schema: MessagesRequest,
    title: "a Messages request",
    modelOf: (body) => stringAt(body, "model"),
    setModel: (body, model) => {
      body["model"] = model;
    },
    wantsStream: (body) => body["stream"] === true,
    wantsUsage: () => true,
    conversationOf: (header, body) =>
      conversationOf(header("x-conversation-id") ?? header("x-claude-code-session-id"), body),
    subAgentHeaders: { id: "x-claude-code-agent-id", parent: "x-claude-code-parent-agent-id" },
    lengthKeys: ["max_tokens"],
    answersWanted: () => 1,
    declaredTools,
    serverTools: serverToolsIn,
    repaired: withoutRefusedThinking,
    walk: walkOfRequest,
    speechOf,
    passedHeaders: ["anthropic-version", "anthropic-beta"],
  },
  answer: {
    walk: walkOfAnswer,
    toolInput: /^content\[\d+\]\.input(?:[.[]|$)|^content_block\.input(?:[.[]|$)/,
    usageOf: messageUsage,
    finishReasonsOf: ({ stop_reason }: JsonRecord) => (typeof stop_reason === "string" ? [stop_reason] : []),
    answeredCallsIn,
    dropCopies: () => {},
  },
  errors: { ...ANTHROPIC_ERRORS, refusalOf: refusedMessage },
  stream: () => new MessagesStream(),
  keepAlive: sseNamed("ping", { type: "ping" }),
};

/** How many tokens a request would have: nothing is generated. */
export const COUNT_TOKENS: ModelApi = {
  ...MESSAGES,
  kind: "messages.count_tokens",
  path: "/messages/count_tokens",
  request: { ...MESSAGES.request, title: "a count_tokens request", wantsStream: () => false, lengthKeys: [] },
  answer: { ...MESSAGES.answer, usageOf: () => NOTHING_USED },
  errors: { ...ANTHROPIC_ERRORS, refusalOf: null },
  stream: null,
};

const NOTHING_USED = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
