import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { SSE_DONE, sseData } from "#core/sse";
import type { ModelApiName } from "#model/model-api";
import { echoCompletion, echoCompletionEvents } from "#upstream/echo-completions";
import { echoEmbeddings } from "#upstream/echo-embeddings";
import { echoMessage, echoMessageEvents, echoTokens } from "#upstream/echo-messages";
import { echoCompaction, echoInputTokens, echoResponse, echoResponseEvents } from "#upstream/echo-responses";
import { ECHO_MODEL, isNamed, textOf, tokens } from "#upstream/echo-text";
import type { ModelUpstream, UpstreamAnswer, UpstreamCall } from "#upstream/port";

/** What it speaks. */
export const ECHO_APIS: readonly ModelApiName[] = ["chat", "responses", "messages", "embeddings", "completions"];
/** Fixed, so that the same request gives the same answer. */
const ECHO_CREATED = 1_700_000_000;

/**
 * The built-in model: deterministic, no key, no network. It repeats the last user message; asked with a tool
 * whose name occurs in that message, it calls that tool with the JSON object found in the message.
 */
export class EchoUpstream implements ModelUpstream {
  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    const parsed = parseJson(call.body);
    const request = isRecord(parsed) ? parsed : {};
    if (call.api === "responses") return responseTo(request, call);
    if (call.api === "messages") return messageTo(request, call);
    if (call.api === "completions") return completionTo(request, call);
    if (call.api === "embeddings") return { kind: "whole", text: echoEmbeddings(request, ECHO_MODEL) };
    const answer = replyTo(request);
    if (!call.stream) return { kind: "whole", text: JSON.stringify(whole(answer)) };
    return { kind: "stream", body: streamOf(events(answer)) };
  }

  async models(): Promise<readonly string[]> {
    return [ECHO_MODEL];
  }
}

const completionTo = (request: JsonRecord, { stream }: UpstreamCall): UpstreamAnswer =>
  stream
    ? { kind: "stream", body: streamOf(echoCompletionEvents(request, ECHO_MODEL)) }
    : { kind: "whole", text: echoCompletion(request, ECHO_MODEL) };

const messageTo = (request: JsonRecord, { path, stream }: UpstreamCall): UpstreamAnswer => {
  if (path.endsWith("/count_tokens")) return { kind: "whole", text: echoTokens(request) };
  if (!stream) return { kind: "whole", text: echoMessage(request) };
  return { kind: "stream", body: streamOf(echoMessageEvents(request)) };
};

const responseTo = (request: JsonRecord, { path, stream }: UpstreamCall): UpstreamAnswer => {
  if (path.endsWith("/compact")) return { kind: "whole", text: echoCompaction(request) };
  if (path.endsWith("/input_tokens")) return { kind: "whole", text: echoInputTokens(request) };
  if (path !== "/responses") return { kind: "refused", status: 404, text: NOTHING_KEPT };
  if (!stream) return { kind: "whole", text: echoResponse(request) };
  return { kind: "stream", body: streamOf(echoResponseEvents(request)) };
};

const NOTHING_KEPT = JSON.stringify({
  error: {
    message: `${ECHO_MODEL} keeps no responses.`,
    type: "invalid_request_error",
    param: null,
    code: "not_found",
  },
});

type Reply = {
  readonly id: string;
  readonly content: string | null;
  readonly tool: { readonly name: string; readonly arguments: string } | null;
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  readonly wantsUsage: boolean;
};

const replyTo = (request: JsonRecord): Reply => {
  const messages: unknown[] = Array.isArray(request["messages"]) ? request["messages"] : [];
  const last = messages.findLast((message) => isRecord(message) && message["role"] === "user");
  const text = textOf(isRecord(last) ? last["content"] : null);
  const afterTool = messages.at(-1);
  const tool = isRecord(afterTool) && afterTool["role"] === "tool" ? null : toolFor(text, request["tools"]);
  const said = tool
    ? null
    : `Echo: ${isRecord(afterTool) && afterTool["role"] === "tool" ? textOf(afterTool["content"]) : text}`;
  const prompt_tokens = tokens(messages.map((m) => textOf(isRecord(m) ? m["content"] : null)).join(" "));
  const completion_tokens = tokens(said ?? tool?.arguments ?? "");
  const options = request["stream_options"];
  return {
    id: `chatcmpl-echo-${Bun.hash.crc32(JSON.stringify(messages)).toString(16).padStart(8, "0")}`,
    content: said,
    tool,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    wantsUsage: isRecord(options) && options["include_usage"] === true,
  };
};

const toolFor = (text: string, tools: unknown): Reply["tool"] => {
  if (!Array.isArray(tools)) return null;
  for (const tool of tools) {
    const spec = isRecord(tool) ? tool["function"] : null;
    const name = isRecord(spec) ? spec["name"] : null;
    if (typeof name !== "string" || !isNamed(text, name)) continue;
    const from = text.indexOf("{");
    const to = text.lastIndexOf("}");
    const given = from >= 0 && to > from ? text.slice(from, to + 1) : "{}";
    return { name, arguments: isRecord(parseJson(given)) ? given : "{}" };
  }
  return null;
};

const toolCall = (reply: Reply) =>
  reply.tool && { id: `call_${reply.id.slice(-8)}`, type: "function", function: reply.tool };

const whole = (reply: Reply) => ({
  id: reply.id,
  object: "chat.completion",
  created: ECHO_CREATED,
  model: ECHO_MODEL,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: reply.content,
        refusal: null,
        ...(reply.tool ? { tool_calls: [toolCall(reply)] } : {}),
      },
      logprobs: null,
      finish_reason: reply.tool ? "tool_calls" : "stop",
    },
  ],
  usage: reply.usage,
});

function* events(reply: Reply): Generator<string> {
  const base = { id: reply.id, object: "chat.completion.chunk", created: ECHO_CREATED, model: ECHO_MODEL };
  const chunk = (delta: JsonRecord, finish_reason: string | null = null) =>
    sseData({ ...base, choices: [{ index: 0, delta, finish_reason }] });
  yield chunk({ role: "assistant", content: reply.tool ? null : "" });
  // Words with the space before them, as tokens of real models come.
  for (const piece of reply.content?.match(/\s*\S+|\s+$/g) ?? []) yield chunk({ content: piece });
  const call = toolCall(reply);
  if (call) {
    const { name, arguments: args } = call.function;
    yield chunk({ tool_calls: [{ index: 0, id: call.id, type: "function", function: { name, arguments: "" } }] });
    for (const piece of args.match(/[\s\S]{1,16}/g) ?? []) {
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, reply.tool ? "tool_calls" : "stop");
  if (reply.wantsUsage) yield sseData({ ...base, choices: [], usage: reply.usage });
  yield SSE_DONE;
}

const streamOf = (parts: Generator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const next = parts.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
};
