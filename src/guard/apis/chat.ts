import type { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import { SSE_DONE, SSE_KEEP_ALIVE, sseData } from "#core/sse";
import { ChatRequest, conversationOf, usageOf } from "#model/chat";
import { hostOf } from "#model/server-tools";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";
import type { DeclaredTool, ModelApi, RefusedRequest, TurnedOn } from "./api";
import { ChatStream } from "./chat-stream";
import { dropLogprobs, walkOfAnswer, walkOfRequest } from "./chat-texts";
import { answeredCallsIn } from "./chat-tools";
import { OPENAI_ERRORS } from "./openai-errors";
import { stringAt, TOOL_INPUT, toolsIn } from "./reading";
import { serverToolType } from "./responses-server-tools";

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/**
 * A block as a completion without content, for clients that take any 4xx for a fault of the connection. The refusal says
 * what an error would have said.
 */
export const chatRefusal = (error: GuardError, { id, model, stream, wantsUsage, created }: RefusedRequest): string => {
  const base = { id: `chatcmpl-${id}`, created, model };
  const refusal = error.message;
  const guardhouse = { event_id: error.extra?.["event_id"] ?? null, guard: error.extra?.["guard"] ?? null };
  if (!stream) {
    const message = { role: "assistant", content: null, refusal };
    const choices = [{ index: 0, message, finish_reason: "content_filter", logprobs: null }];
    return JSON.stringify({ ...base, object: "chat.completion", choices, usage: NO_USAGE, guardhouse });
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  const delta = { role: "assistant", content: null, refusal };
  const events = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }], guardhouse },
    ...(wantsUsage ? [{ ...chunk, choices: [], usage: NO_USAGE }] : []),
  ];
  return `${events.map(sseData).join("")}${SSE_DONE}`;
};

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
    serverTools,
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

/** The kind of a tool of the provider's is judged as such; names beside it all the same, as if it were a function. */
function* declaredTools(body: JsonRecord): Generator<DeclaredTool> {
  for (const [at, definition] of listIn(body, "tools").entries()) {
    const [kind, ...others] = toolsIn("tools", [definition]);
    const names = serverToolType(definition) === null && kind ? [kind, ...others] : others;
    for (const [, name] of names) yield [`tools[${at}]`, name, definition];
  }
  for (const [at, definition] of listIn(body, "functions").entries()) {
    for (const [, name] of toolsIn("functions", [definition])) yield [`functions[${at}]`, name, definition];
  }
}

function* serverTools(body: JsonRecord): Generator<TurnedOn | null> {
  for (const [at, definition] of listIn(body, "tools").entries()) {
    const type = serverToolType(definition);
    const host = type === "mcp" && isRecord(definition) ? hostOf(definition["server_url"]) : null;
    yield type === null ? null : { param: `tools[${at}]`, type, host };
  }
  // Turned on by its options alone.
  if (body["web_search_options"] != null) yield { param: "web_search_options", type: "web_search", host: null };
}

const listIn = (body: JsonRecord, key: string): readonly unknown[] => {
  const list = body[key];
  return Array.isArray(list) ? list : [];
};

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
