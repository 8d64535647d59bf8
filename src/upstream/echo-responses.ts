import { isRecord, type JsonRecord } from "#core/json/json";
import { sseNamed } from "#core/sse";
import { argumentsIn, ECHO_MODEL, isNamed, textOf, tokens } from "#upstream/echo-text";

/** Fixed, so that the same request gives the same answer. */
const CREATED = 1_700_000_000;

type Reply = {
  readonly id: string;
  readonly text: string | null;
  readonly tool: { readonly name: string; readonly arguments: string } | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };
};

const replyTo = (request: JsonRecord): Reply => {
  const items = itemsOf(request);
  const text = saidIn(items.findLast((item) => isRecord(item) && item["role"] === "user"));
  const result = resultIn(items.at(-1));
  const tool = result === null ? toolFor(text, request["tools"]) : null;
  const said = tool ? null : `Echo: ${result ?? text}`;
  const input_tokens = promptTokens(request);
  const output_tokens = tokens(said ?? tool?.arguments ?? "");
  return {
    id: Bun.hash.crc32(JSON.stringify(items)).toString(16).padStart(8, "0"),
    text: said,
    tool,
    usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  };
};

const itemsOf = ({ input }: JsonRecord): readonly unknown[] =>
  Array.isArray(input) ? input : [{ role: "user", content: input ?? "" }];

const saidIn = (item: unknown): string => (isRecord(item) ? textOf(item["content"]) : "");

/** What a tool said, where an item hands it over; null where it does not. */
const resultIn = (item: unknown): string | null =>
  isRecord(item) && (item["type"] === "function_call_output" || item["type"] === "custom_tool_call_output")
    ? textOf(item["output"])
    : null;

const promptTokens = (request: JsonRecord): number => {
  const { instructions } = request;
  return tokens([textOf(instructions), ...itemsOf(request).map((item) => resultIn(item) ?? saidIn(item))].join(" "));
};

const toolFor = (text: string, tools: unknown): Reply["tool"] => {
  for (const tool of Array.isArray(tools) ? tools : []) {
    const name: unknown = isRecord(tool) && tool["type"] === "function" ? tool["name"] : null;
    if (typeof name === "string" && isNamed(text, name)) {
      return { name, arguments: JSON.stringify(argumentsIn(text)) };
    }
  }
  return null;
};

const itemOf = ({ id, text, tool }: Reply) =>
  tool
    ? { id: `fc_echo_${id}`, type: "function_call", status: "completed", call_id: `call_${id}`, ...tool }
    : { id: `msg_echo_${id}`, type: "message", status: "completed", role: "assistant", content: [partOf(text ?? "")] };

const partOf = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

/** A response as the API gives one, with what was asked where it repeats that. */
const responseOf = ({ id }: Reply, request: JsonRecord) => ({
  id: `resp_echo_${id}`,
  object: "response",
  created_at: CREATED,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: request["instructions"] ?? null,
  max_output_tokens: request["max_output_tokens"] ?? null,
  metadata: request["metadata"] ?? {},
  model: ECHO_MODEL,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: request["previous_response_id"] ?? null,
  store: false,
  temperature: request["temperature"] ?? 1,
  text: request["text"] ?? { format: { type: "text" } },
  tool_choice: request["tool_choice"] ?? "auto",
  tools: request["tools"] ?? [],
  top_p: request["top_p"] ?? 1,
  usage: null,
});

const completed = (reply: Reply, request: JsonRecord) => ({
  ...responseOf(reply, request),
  status: "completed",
  output: [itemOf(reply)],
  usage: {
    ...reply.usage,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

/** The echo of a Responses request. */
export const echoResponse = (request: JsonRecord): string => JSON.stringify(completed(replyTo(request), request));

/** A conversation of which nothing is left but what its user said. */
export const echoCompaction = (request: JsonRecord): string => {
  const { id, usage } = replyTo(request);
  const said = itemsOf(request)
    .filter(isRecord)
    .filter(({ role }) => role === "user");
  const summary = { id: `cmp_echo_${id}`, type: "compaction", encrypted_content: "ZWNobw==" };
  const output = [...said.map((item) => ({ type: "message", ...item })), summary];
  return JSON.stringify({ id: `resp_echo_${id}`, object: "response.compaction", created_at: CREATED, output, usage });
};

export const echoInputTokens = (request: JsonRecord): string =>
  JSON.stringify({ object: "response.input_tokens", input_tokens: promptTokens(request) });

/** The same as the events of a stream. */
export function* echoResponseEvents(request: JsonRecord): Generator<string> {
  const reply = replyTo(request);
  let sequence_number = -1;
  const event = (type: string, fields: object) => {
    sequence_number += 1;
    return sseNamed(type, { type, sequence_number, ...fields });
  };
  const begun = responseOf(reply, request);
  yield event("response.created", { response: begun });
  yield event("response.in_progress", { response: begun });
  yield* eventsOfItem(reply, event);
  yield event("response.completed", { response: completed(reply, request) });
}

type MakeEvent = (type: string, fields: object) => string;

function* eventsOfItem(reply: Reply, event: MakeEvent): Generator<string> {
  const item = itemOf(reply);
  const place = { item_id: item.id, output_index: 0 };
  const unsaid = reply.tool ? { arguments: "" } : { content: [] };
  yield event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", ...unsaid } });
  if (reply.tool) {
    const { arguments: given } = reply.tool;
    for (const delta of given.match(/[\s\S]{1,16}/g) ?? []) {
      yield event("response.function_call_arguments.delta", { ...place, delta });
    }
    yield event("response.function_call_arguments.done", { ...place, ...reply.tool });
  } else yield* eventsOfText(reply.text ?? "", { ...place, content_index: 0 }, event);
  yield event("response.output_item.done", { output_index: 0, item });
}

function* eventsOfText(text: string, place: object, event: MakeEvent): Generator<string> {
  yield event("response.content_part.added", { ...place, part: partOf("") });
  // Words with the space before them, as tokens of real models come.
  for (const delta of text.match(/\s*\S+|\s+$/g) ?? []) {
    yield event("response.output_text.delta", { ...place, delta, logprobs: [] });
  }
  yield event("response.output_text.done", { ...place, text, logprobs: [] });
  yield event("response.content_part.done", { ...place, part: partOf(text) });
}
