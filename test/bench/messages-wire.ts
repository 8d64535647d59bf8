import { named, textAt, type Wire } from "./wire.ts";

const message = (marker: string, content: string, rest: string): string =>
  `{"id":"msg_${marker}","type":"message","role":"assistant","model":"bench","content":${content},${rest}}`;

export const MESSAGES_WIRE: Wire = {
  path: "/v1/messages",
  body: (model, isStream, prompt) =>
    `{"model":"${model}","max_tokens":1024${isStream ? ',"stream":true' : ""},` +
    `"messages":[{"role":"user","content":"${prompt}"}]}`,
  whole: (marker, text) =>
    message(
      marker,
      `[{"type":"text","text":"${text}"}]`,
      '"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":92,"output_tokens":64}',
    ),
  begin: (marker) => [
    named(
      "message_start",
      `"message":${message(marker, "[]", '"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":92,"output_tokens":1}')}`,
    ),
    named("content_block_start", '"index":0,"content_block":{"type":"text","text":""}'),
  ],
  token: (_, token) => named("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"${token}"}`),
  end: () => [
    named("content_block_stop", '"index":0'),
    named("message_delta", '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":64}'),
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  hasText: /"text_delta","text":"[^"]/,
  ending: 'data: {"type":"message_stop"}',
  tokenOf: (data) => textAt(data, "delta", "text"),
};
