import { type Reply, type Style, sends } from "./replies";

/** One block of a scripted message. A text given as a list is streamed in exactly those pieces. */
export type BlockScript =
  | { readonly text: string | readonly string[] }
  | { readonly thinking: string | readonly string[]; readonly signature: string }
  | { readonly tool: string; readonly input: object; readonly pieces?: readonly string[] }
  /** As it is, whole in its first event. */
  | { readonly block: object };

export type MessageScript = {
  readonly blocks: readonly BlockScript[];
  readonly stop?: string;
  /** Events put in front of the one of that number. */
  readonly between?: Readonly<Record<number, string>>;
};

type Fields = Readonly<Record<string, unknown>>;

const USAGE = { input_tokens: 11, cache_creation_input_tokens: 5, cache_read_input_tokens: 7 };

const headOf = (model: string): Fields => ({
  ...{ id: "msg_fake0001", type: "message", role: "assistant", model },
});

const pieces = (text: string | readonly string[]): readonly string[] => (typeof text === "string" ? [text] : text);
const whole = (text: string | readonly string[]): string => pieces(text).join("");

const blockOf = (script: BlockScript, at: number): Fields => {
  if ("text" in script) return { type: "text", text: whole(script.text) };
  if ("thinking" in script) return { type: "thinking", thinking: whole(script.thinking), signature: script.signature };
  if ("tool" in script) return { type: "tool_use", id: `toolu_${at}`, name: script.tool, input: script.input };
  return { ...script.block };
};

const stopOf = ({ blocks, stop }: MessageScript): string =>
  stop ?? (blocks.some((block) => "tool" in block) ? "tool_use" : "end_turn");

/** The answer as one message. */
export const wholeMessage = (script: MessageScript, model = "fake-model"): Fields => ({
  ...headOf(model),
  content: script.blocks.map(blockOf),
  stop_reason: stopOf(script),
  stop_sequence: null,
  usage: { ...USAGE, output_tokens: 4 },
});

/** One event as Anthropic writes it. */
export const eventText = (data: Fields): string => `event: ${data["type"]}\ndata: ${JSON.stringify(data)}\n\n`;

export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

const delta = (index: number, fields: Fields): Fields => ({ type: "content_block_delta", index, delta: fields });

const eventsOfBlock = (script: BlockScript, index: number): Fields[] => {
  const start = (content_block: Fields) => ({ type: "content_block_start", index, content_block });
  const stop = { type: "content_block_stop", index };
  if ("text" in script) {
    const texts = pieces(script.text).map((text) => delta(index, { type: "text_delta", text }));
    return [start({ type: "text", text: "" }), ...texts, stop];
  }
  if ("thinking" in script) {
    const texts = pieces(script.thinking).map((thinking) => delta(index, { type: "thinking_delta", thinking }));
    const signature = delta(index, { type: "signature_delta", signature: script.signature });
    return [start({ type: "thinking", thinking: "", signature: "" }), ...texts, signature, stop];
  }
  if ("tool" in script) {
    const json = script.pieces ?? ["", JSON.stringify(script.input)];
    const inputs = json.map((partial_json) => delta(index, { type: "input_json_delta", partial_json }));
    return [start({ ...blockOf(script, index), input: {} }), ...inputs, stop];
  }
  return [start({ ...script.block }), stop];
};

/** The same as the events of a stream. */
export const messageEvents = (script: MessageScript, model = "fake-model"): string[] => {
  const none = { stop_reason: null, stop_sequence: null };
  const message = { ...headOf(model), content: [], ...none, usage: { ...USAGE, output_tokens: 1 } };
  const end = { stop_reason: stopOf(script), stop_sequence: null };
  const events = [
    { type: "message_start", message },
    ...script.blocks.flatMap(eventsOfBlock),
    { type: "message_delta", delta: end, usage: { output_tokens: 4 } },
    { type: "message_stop" },
  ];
  return events.map((event, at) => (script.between?.[at] ?? "") + eventText(event));
};

/** A scripted message, as it was asked for: whole, or as a stream. */
export const answersMessage =
  (script: MessageScript | readonly BlockScript[], style: Omit<Style, "cut"> = {}): Reply =>
  (asking) => {
    const message = "blocks" in script ? script : { blocks: script };
    const reply = asking.stream
      ? sends(messageEvents(message, asking.model), style)
      : sends([JSON.stringify(wholeMessage(message, asking.model))], { contentType: "application/json", ...style });
    return reply(asking);
  };

/** An error answer in Anthropic's words. */
export const failsAs = (status: number, type: string, message: string): Reply =>
  sends([JSON.stringify({ type: "error", error: { type, message }, request_id: "req_provider" })], {
    status,
    contentType: "application/json",
  });
