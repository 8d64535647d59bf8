import { isRecord, type JsonRecord } from "#core/json/json";
import { sseNamed } from "#core/sse";
import { argumentsIn, ECHO_MODEL, isNamed, textOf, tokens } from "#upstream/echo-text";

type Reply = {
  readonly id: string;
  readonly text: string | null;
  readonly tool: { readonly name: string; readonly input: JsonRecord } | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
};

const replyTo = (request: JsonRecord): Reply => {
  const messages: unknown[] = Array.isArray(request["messages"]) ? request["messages"] : [];
  const last = messages.findLast((message) => isRecord(message) && message["role"] === "user");
  const content = isRecord(last) ? last["content"] : null;
  const result = resultIn(content);
  const text = textOf(content);
  const tool = result === null ? toolFor(text, request["tools"]) : null;
  const said = tool ? null : `Echo: ${result ?? text}`;
  return {
    id: `msg_echo_${Bun.hash.crc32(JSON.stringify(messages)).toString(16).padStart(8, "0")}`,
    text: said,
    tool,
    usage: {
      input_tokens: promptTokens(request),
      output_tokens: tokens(said ?? JSON.stringify(tool?.input ?? {})),
    },
  };
};

const promptTokens = ({ system, messages }: JsonRecord): number => {
  const turns: unknown[] = Array.isArray(messages) ? messages : [];
  return tokens([textOf(system), ...turns.map((turn) => textOf(isRecord(turn) ? turn["content"] : null))].join(" "));
};

/** What tools said, where the turn hands it over; null where it does not. */
const resultIn = (content: unknown): string | null => {
  const results = Array.isArray(content)
    ? content.filter((block) => isRecord(block) && block["type"] === "tool_result")
    : [];
  return results.length === 0 ? null : results.map((block) => textOf(isRecord(block) ? block["content"] : "")).join("");
};

const toolFor = (text: string, tools: unknown): Reply["tool"] => {
  for (const tool of Array.isArray(tools) ? tools : []) {
    const name: unknown = isRecord(tool) ? tool["name"] : null;
    if (typeof name === "string" && isNamed(text, name)) return { name, input: argumentsIn(text) };
  }
  return null;
};

const blockOf = ({ id, text, tool }: Reply) =>
  tool ? { type: "tool_use", id: `toolu_${id.slice(-8)}`, ...tool } : { type: "text", text: text ?? "" };

const messageOf = ({ id }: Reply) => ({ id, type: "message", role: "assistant", model: ECHO_MODEL });
const reasonOf = ({ tool }: Reply) => ({ stop_reason: tool ? "tool_use" : "end_turn", stop_sequence: null });

/** The echo of a Messages request. */
export const echoMessage = (request: JsonRecord): string => {
  const reply = replyTo(request);
  return JSON.stringify({
    ...messageOf(reply),
    content: [blockOf(reply)],
    ...reasonOf(reply),
    usage: reply.usage,
  });
};

export const echoTokens = (request: JsonRecord): string => JSON.stringify({ input_tokens: promptTokens(request) });

/** The same as the events of a stream. */
export function* echoMessageEvents(request: JsonRecord): Generator<string> {
  const reply = replyTo(request);
  const { tool, text, usage } = reply;
  const event = (type: string, fields: object) => sseNamed(type, { type, ...fields });
  const delta = (fields: object) => event("content_block_delta", { index: 0, delta: fields });
  const none = { stop_reason: null, stop_sequence: null };
  const message = { ...messageOf(reply), content: [], ...none, usage: { ...usage, output_tokens: 1 } };
  yield event("message_start", { message });
  const begun = tool ? { ...blockOf(reply), input: {} } : { type: "text", text: "" };
  yield event("content_block_start", { index: 0, content_block: begun });
  yield event("ping", {});
  // Words with the space before them, as tokens of real models come.
  for (const piece of text?.match(/\s*\S+|\s+$/g) ?? []) yield delta({ type: "text_delta", text: piece });
  const json = tool ? JSON.stringify(tool.input) : "";
  for (const piece of json.match(/[\s\S]{1,16}/g) ?? []) yield delta({ type: "input_json_delta", partial_json: piece });
  yield event("content_block_stop", { index: 0 });
  yield event("message_delta", { delta: reasonOf(reply), usage: { output_tokens: usage.output_tokens } });
  yield event("message_stop", {});
}
