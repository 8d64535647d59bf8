import type { JsonRecord } from "#core/json/json";
import { sseNamed } from "#core/sse";
import { ANTHROPIC_ERRORS } from "#guard/apis/anthropic-errors";
import type { ModelApi } from "#guard/apis/api";
import { refusedMessage } from "#guard/apis/messages-refusal";
import { withoutRefusedThinking } from "#guard/apis/messages-repair";
import { declaredTools, serverToolsIn } from "#guard/apis/messages-server-tools";
import { MessagesStream } from "#guard/apis/messages-stream";
import { walkOfAnswer, walkOfRequest } from "#guard/apis/messages-texts";
import { answeredCallsIn, speechOf } from "#guard/apis/messages-tools";
import { stringAt } from "#guard/apis/reading";
import { conversationOf } from "#model/chat";
import { MessagesRequest, messageUsage } from "#model/messages";

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
