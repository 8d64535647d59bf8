import { textAt, type Wire } from "./wire.ts";

const event = (marker: string, delta: string, finish: string): string =>
  `data: {"id":"chatcmpl-${marker}","object":"chat.completion.chunk","created":1750000000,"model":"bench-stream",` +
  `"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;

export const CHAT_WIRE: Wire = {
  path: "/v1/chat/completions",
  body: (model, isStream, prompt) =>
    `{"model":"${model}"${isStream ? ',"stream":true' : ""},"messages":[{"role":"user","content":"${prompt}"}]}`,
  whole: (marker, text) =>
    `{"id":"chatcmpl-${marker}","object":"chat.completion","created":1750000000,"model":"bench-json","choices":[` +
    `{"index":0,"message":{"role":"assistant","content":"${text}","refusal":null},"logprobs":null,` +
    `"finish_reason":"stop"}],"usage":{"prompt_tokens":92,"completion_tokens":64,"total_tokens":156},` +
    `"system_fingerprint":"fp_bench"}`,
  begin: (marker) => [event(marker, '{"role":"assistant","content":""}', "null")],
  token: (marker, token) => event(marker, `{"content":"${token}"}`, "null"),
  end: (marker) => [event(marker, "{}", '"stop"'), "data: [DONE]\n\n"],
  hasText: /"content":"[^"]/,
  ending: "data: [DONE]",
  tokenOf: (data) => textAt(data, "choices", 0, "delta", "content"),
};
