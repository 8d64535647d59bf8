import { named, textAt, type Wire } from "./wire.ts";

const NO_USAGE = '"usage":null';
const USAGE =
  '"usage":{"input_tokens":92,"input_tokens_details":{"cached_tokens":0},"output_tokens":64,' +
  '"output_tokens_details":{"reasoning_tokens":0},"total_tokens":156}';

const response = (marker: string, status: string, output: string, usage: string): string =>
  `{"id":"resp_${marker}","object":"response","created_at":1750000000,"status":"${status}","error":null,` +
  `"incomplete_details":null,"instructions":null,"model":"bench","output":[${output}],"parallel_tool_calls":true,` +
  `"previous_response_id":null,"store":true,"temperature":1,"tool_choice":"auto","tools":[],"top_p":1,${usage},` +
  `"metadata":{}}`;

const part = (text: string): string => `{"type":"output_text","annotations":[],"logprobs":[],"text":"${text}"}`;

const item = (marker: string, status: string, content: string): string =>
  `{"id":"msg_${marker}","type":"message","status":"${status}","role":"assistant","content":[${content}]}`;

/** Events before the first token's. */
const BEFORE = 4;

export const RESPONSES_WIRE: Wire = {
  path: "/v1/responses",
  body: (model, isStream, prompt) =>
    `{"model":"${model}"${isStream ? ',"stream":true' : ""},"input":[{"role":"user","content":"${prompt}"}]}`,
  whole: (marker, text) => response(marker, "completed", item(marker, "completed", part(text)), USAGE),
  begin(marker) {
    const begun = `"response":${response(marker, "in_progress", "", NO_USAGE)}`;
    return [
      named("response.created", `"sequence_number":0,${begun}`),
      named("response.in_progress", `"sequence_number":1,${begun}`),
      named(
        "response.output_item.added",
        `"sequence_number":2,"output_index":0,"item":${item(marker, "in_progress", "")}`,
      ),
      named(
        "response.content_part.added",
        `"sequence_number":3,"item_id":"msg_${marker}","output_index":0,"content_index":0,"part":${part("")}`,
      ),
    ];
  },
  token: (marker, token, at) =>
    named(
      "response.output_text.delta",
      `"sequence_number":${BEFORE + at},"item_id":"msg_${marker}","output_index":0,"content_index":0,` +
        `"delta":"${token}","logprobs":[],"obfuscation":"${OBFUSCATION.slice(at % 8)}"`,
    ),
  end(marker, text) {
    const from = BEFORE + text.split(" ").length;
    const at = (n: number) => `"sequence_number":${from + n},"output_index":0`;
    const inPart = `"item_id":"msg_${marker}","content_index":0`;
    const done = item(marker, "completed", part(text));
    return [
      named("response.output_text.done", `${at(0)},${inPart},"text":"${text}","logprobs":[]`),
      named("response.content_part.done", `${at(1)},${inPart},"part":${part(text)}`),
      named("response.output_item.done", `${at(2)},"item":${done}`),
      named(
        "response.completed",
        `"sequence_number":${from + 3},"response":${response(marker, "completed", done, USAGE)}`,
      ),
    ];
  },
  hasText: /"response\.output_text\.delta"[^\n]*"delta":"[^"]/,
  ending: '"metadata":{}}}',
  tokenOf: (data) => (textAt(data, "type") === "response.output_text.delta" ? textAt(data, "delta") : ""),
};

/** Providers pad deltas so that their lengths tell nothing of the tokens'. */
const OBFUSCATION = "Ze4kTq0aWb9RmXy2";
