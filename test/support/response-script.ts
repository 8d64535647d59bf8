import { type Reply, type Style, sends } from "./replies";

/** One item of a scripted response. A text given as a list is streamed in exactly those pieces. */
export type ItemScript =
  | { readonly text: Texts; readonly annotations?: readonly object[] }
  | { readonly refusal: Texts }
  | { readonly reasoning: Texts; readonly summary?: Texts; readonly encrypted?: string }
  | { readonly tool: string; readonly arguments: Texts }
  | { readonly custom: string; readonly input: Texts }
  | { readonly mcp: string; readonly arguments: Texts; readonly output: string }
  | { readonly code: Texts; readonly logs: string }
  /** As it is, whole in its last event. */
  | { readonly item: Fields };

type Texts = string | readonly string[];
export type Fields = Readonly<Record<string, unknown>>;

export type ResponseScript = {
  readonly items: readonly ItemScript[];
  /** What the response repeats of its request, and what else it says. */
  readonly fields?: Fields;
  /** Random padding, as OpenAI sends it. */
  readonly isPadded?: boolean;
  /** Events in place of the last one; none for a connection that is cut. */
  readonly end?: readonly Fields[];
};

const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

const piecesOf = (texts: Texts): readonly string[] => (typeof texts === "string" ? [texts] : texts);
const whole = (texts: Texts): string => piecesOf(texts).join("");

const itemOf = (script: ItemScript, at: number): Fields => {
  const done = { status: "completed" };
  if ("text" in script)
    return { id: `msg_${at}`, type: "message", role: "assistant", ...done, content: [textPart(script)] };
  if ("refusal" in script) {
    const part = { type: "refusal", refusal: whole(script.refusal) };
    return { id: `msg_${at}`, type: "message", role: "assistant", ...done, content: [part] };
  }
  if ("reasoning" in script) {
    return {
      ...{ id: `rs_${at}`, type: "reasoning" },
      summary: script.summary === undefined ? [] : [{ type: "summary_text", text: whole(script.summary) }],
      content: [{ type: "reasoning_text", text: whole(script.reasoning) }],
      encrypted_content: script.encrypted ?? null,
    };
  }
  if ("tool" in script) {
    const given = whole(script.arguments);
    return {
      id: `fc_${at}`,
      type: "function_call",
      ...done,
      call_id: `call_${at}`,
      name: script.tool,
      arguments: given,
    };
  }
  if ("custom" in script) {
    const { custom: name } = script;
    return {
      id: `ctc_${at}`,
      type: "custom_tool_call",
      ...done,
      call_id: `call_${at}`,
      name,
      input: whole(script.input),
    };
  }
  if ("mcp" in script) {
    const { mcp: name, output } = script;
    const given = whole(script.arguments);
    return {
      id: `mcp_${at}`,
      type: "mcp_call",
      ...done,
      server_label: "docs",
      name,
      arguments: given,
      output,
      error: null,
    };
  }
  if ("code" in script) {
    const outputs = [{ type: "logs", logs: script.logs }];
    return {
      id: `ci_${at}`,
      type: "code_interpreter_call",
      ...done,
      container_id: "c_1",
      code: whole(script.code),
      outputs,
    };
  }
  return { id: `item_${at}`, ...script.item };
};

const textPart = ({ text, annotations = [] }: { readonly text: Texts; readonly annotations?: readonly object[] }) => ({
  ...{ type: "output_text", text: whole(text) },
  annotations: [...annotations],
  logprobs: [],
});

/** The answer as one response. */
export const wholeResponse = ({ items, fields = {} }: ResponseScript, model = "fake-model"): Fields => ({
  ...emptyResponse(model),
  status: "completed",
  output: items.map(itemOf),
  usage: USAGE,
  ...fields,
});

const emptyResponse = (model: string): Fields => ({
  id: "resp_0123",
  object: "response",
  created_at: 1_793_610_600,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: null,
});

/** The events of one text: its begin, its deltas, its end. */
type Text = { readonly name: string; readonly texts: Texts; readonly key: string; readonly more?: Fields };

const eventsOfText = ({ name, texts, key, more = {} }: Text, place: Fields): Fields[] => [
  ...piecesOf(texts).map((delta) => ({ type: `response.${name}.delta`, ...place, delta, ...more })),
  { type: `response.${name}.done`, ...place, [key]: whole(texts), ...more },
];

const eventsOfPart = (text: Text, place: Fields, part: Fields, between: readonly Fields[] = []): Fields[] => {
  const kind = "summary_index" in place ? "reasoning_summary_part" : "content_part";
  const [deltas, done] = [eventsOfText(text, place).slice(0, -1), eventsOfText(text, place).slice(-1)];
  const begun = { ...part, [text.key]: "", ...("annotations" in part && { annotations: [] }) };
  return [
    { type: `response.${kind}.added`, ...place, part: begun },
    ...deltas,
    ...between,
    ...done,
    { type: `response.${kind}.done`, ...place, part },
  ];
};

const growthOf = (script: ItemScript, item: Fields, output_index: number): { begun: Fields; events: Fields[] } => {
  const place = { item_id: item["id"], output_index };
  const inContent = { ...place, content_index: 0 };
  if ("text" in script) {
    const part = textPart(script);
    const added = part.annotations.map((annotation, annotation_index) => ({
      ...{ type: "response.output_text.annotation.added", ...inContent },
      ...{ annotation, annotation_index },
    }));
    const text = { name: "output_text", texts: script.text, key: "text", more: { logprobs: [] } };
    return { begun: { content: [] }, events: eventsOfPart(text, inContent, part, added) };
  }
  if ("refusal" in script) {
    const part = { type: "refusal", refusal: whole(script.refusal) };
    const text = { name: "refusal", texts: script.refusal, key: "refusal" };
    return { begun: { content: [] }, events: eventsOfPart(text, inContent, part) };
  }
  if ("reasoning" in script) {
    const { summary, reasoning } = script;
    const inSummary = { ...place, summary_index: 0 };
    const told = summary === undefined ? [] : [{ name: "reasoning_summary_text", texts: summary, key: "text" }];
    return {
      begun: { summary: [], content: [] },
      events: [
        ...told.flatMap((text) => eventsOfPart(text, inSummary, { type: "summary_text", text: whole(text.texts) })),
        ...eventsOfPart({ name: "reasoning_text", texts: reasoning, key: "text" }, inContent, {
          ...{ type: "reasoning_text", text: whole(reasoning) },
        }),
      ],
    };
  }
  if ("tool" in script) {
    const text = { name: "function_call_arguments", texts: script.arguments, key: "arguments" };
    return { begun: { arguments: "" }, events: eventsOfText(text, place) };
  }
  if ("custom" in script) {
    return {
      begun: { input: "" },
      events: eventsOfText({ name: "custom_tool_call_input", texts: script.input, key: "input" }, place),
    };
  }
  if ("mcp" in script) {
    const text = { name: "mcp_call_arguments", texts: script.arguments, key: "arguments" };
    const states = (state: string) => ({ type: `response.mcp_call.${state}`, ...place });
    return {
      begun: { arguments: "", output: null },
      events: [states("in_progress"), ...eventsOfText(text, place), states("completed")],
    };
  }
  if ("code" in script) {
    const text = { name: "code_interpreter_call_code", texts: script.code, key: "code" };
    const states = (state: string) => ({ type: `response.code_interpreter_call.${state}`, ...place });
    return {
      begun: { code: "", outputs: null },
      events: [states("in_progress"), ...eventsOfText(text, place), states("interpreting"), states("completed")],
    };
  }
  return { begun: {}, events: [] };
};

const eventsOfItem = (script: ItemScript, output_index: number): Fields[] => {
  const item = itemOf(script, output_index);
  const { begun, events } = growthOf(script, item, output_index);
  const status = "status" in item ? { status: "in_progress" } : {};
  const added = "item" in script ? { id: item["id"], type: item["type"], ...status } : { ...item, ...status, ...begun };
  return [
    { type: "response.output_item.added", output_index, item: added },
    ...events,
    { type: "response.output_item.done", output_index, item },
  ];
};

const padded = (event: Fields, at: number): Fields =>
  "delta" in event ? { ...event, obfuscation: `x${at}Kq9`.slice(0, 1 + (at % 5)) } : event;

/** The same as the events of a stream, numbered. */
export const responseEvents = (script: ResponseScript, model = "fake-model"): Fields[] => {
  const begun = { ...emptyResponse(model), ...script.fields };
  const events: Fields[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...script.items.flatMap(eventsOfItem),
    ...(script.end ?? [{ type: "response.completed", response: wholeResponse(script, model) }]),
  ];
  return events.map((event, sequence_number) => {
    const { type, ...fields } = script.isPadded ? padded(event, sequence_number) : event;
    return { type, sequence_number, ...fields };
  });
};

/** One event as OpenAI writes it. */
export const eventText = (event: Fields): string => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`;

/** A scripted response, as it was asked for: whole, or as a stream. */
export const answersResponse =
  (script: ResponseScript | readonly ItemScript[], style: Omit<Style, "cut"> = {}): Reply =>
  (asking) => {
    const response = "items" in script ? script : { items: script };
    const reply = asking.stream
      ? sends(responseEvents(response, asking.model).map(eventText), style)
      : sends([JSON.stringify(wholeResponse(response, asking.model))], { contentType: "application/json", ...style });
    return reply(asking);
  };
