import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { SSE_KEEP_ALIVE } from "#core/sse";
import type { ModelApi } from "#guard/apis/api";
import { chatRefusal } from "#guard/apis/chat-refusal";
import { ChatStream } from "#guard/apis/chat-stream";
import { dropLogprobs, walkOfAnswer, walkOfRequest } from "#guard/apis/chat-texts";
import { answeredCallsIn } from "#guard/apis/chat-tools";
import { toolsIn } from "#guard/apis/declared-tools";
import { OPENAI_ERRORS } from "#guard/apis/openai-errors";
import { stringAt, TOOL_INPUT } from "#guard/apis/reading";
import { ChatRequest, conversationOf, usageOf } from "#model/chat";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";

/** OpenAI's chat completions. */
export const CHAT: ModelApi = {
  name: "chat",
  kind: "chat.completion",
  path: "/chat/completions",
  request: {
    schema: ChatRequest,
    title: "a chat-completions request",
    modelOf: (body) => stringAt(body, "model"),
    setModel: (body, model) => {
      body["model"] = model;
    },
    wantsStream: (body) => body["stream"] === true,
    wantsUsage: (body) => optionsOf(body)["include_usage"] === true,
    prepareStream: (body) => {
      body["stream_options"] = { ...optionsOf(body), include_usage: true };
    },
    conversationOf: (header, body) => conversationOf(header("x-conversation-id"), body),
    lengthKeys: ["max_completion_tokens", "max_tokens"],
    answersWanted: (body) => numberOf(body["n"]) ?? 1,
    declaredTools,
    keepNothing: (body) => {
      if (body["store"] === true) body["store"] = false;
    },
    walk: walkOfRequest,
    speechOf,
    passedHeaders: [],
  },
  answer: {
    walk: walkOfAnswer,
    toolInput: TOOL_INPUT,
    usageOf,
    finishReasonsOf: (answer) => {
      const choices: unknown[] = Array.isArray(answer["choices"]) ? answer["choices"] : [];
      return choices.flatMap((choice) =>
        isRecord(choice) && typeof choice["finish_reason"] === "string" ? [choice["finish_reason"]] : [],
      );
    },
    answeredCallsIn,
    dropCopies: dropLogprobs,
  },
  errors: { ...OPENAI_ERRORS, refusalOf: chatRefusal },
  stream: (wish) => new ChatStream(wish),
  keepAlive: SSE_KEEP_ALIVE,
};

const optionsOf = (body: JsonRecord): JsonRecord => {
  const options = body["stream_options"];
  return isRecord(options) ? options : {};
};

function* declaredTools(body: JsonRecord): Generator<[param: string, name: string]> {
  yield* toolsIn("tools", body["tools"]);
  yield* toolsIn("functions", body["functions"]);
  // A tool of the provider's own that is turned on by its options.
  if (body["web_search_options"] != null) yield ["web_search_options", "web_search"];
}

/** Some clients hand tools' results over in a part of a user's message. */
const isResultPart = (part: unknown): boolean => isRecord(part) && part["type"] === "tool_result";

function speechOf(body: JsonRecord): Speech | null {
  const { messages } = body;
  if (!Array.isArray(messages)) return null;
  return {
    turns: messages,
    place: (at) => `messages[${at}]`,
    voiceOf: voiceOfRole,
    innerVoice: (record, voice) => (isResultPart(record) ? "tool" : voice),
    hasResult: (message) =>
      isRecord(message) &&
      (voiceOfRole(message) === "tool" || (Array.isArray(message["content"]) && message["content"].some(isResultPart))),
  };
}
