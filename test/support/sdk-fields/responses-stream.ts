import { isRecord, type JsonRecord } from "#core/json/json";
import { EventKinds } from "./event-kinds";

type Part = { readonly item: JsonRecord; readonly at: number };

/** What comes piece by piece of an item, by its type. */
const GROWING: Readonly<Record<string, readonly string[]>> = {
  message: ["content"],
  reasoning: ["summary", "content"],
  function_call: ["arguments"],
  custom_tool_call: ["input"],
  mcp_call: ["arguments"],
  code_interpreter_call: ["code"],
};

/** Events about an item that repeat nothing of it, by its type: `response.TYPE.STATE`. */
const STATES: readonly string[] = ["in_progress", "searching", "interpreting", "generating", "completed", "failed"];

/**
 * Streams that have every event of the Responses API, in an order its providers send them in: what deltas say, the
 * events behind them say again, word for word. The first has all items.
 */
export const responsesStreams = (events: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] => {
  const kinds = new EventKinds(events);
  const told = toldIn(kinds).flat();
  const endings = ENDINGS.flatMap((kind) => kinds.all(kind));
  return endings.map((ending, which) => numbered([...beginning(kinds, which), ...(which === 0 ? told : []), ending]));
};

/** The same events in short streams: some items in each, and each of the largest events about the whole response. */
export const shortResponsesStreams = (events: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] => {
  const kinds = new EventKinds(events);
  const [begin, end] = [least(kinds, "response.created"), least(kinds, "response.completed")];
  const told = toldIn(kinds);
  const items = Array.from({ length: Math.ceil(told.length / ITEMS_PER_STREAM) }, (_, which) =>
    told.slice(which * ITEMS_PER_STREAM, (which + 1) * ITEMS_PER_STREAM).flat(),
  );
  const largest = [
    ...BEGINNINGS.flatMap((kind) => kinds.all(kind).slice(0, 1)).map((event) => [event, end]),
    ...ENDINGS.flatMap((kind) => kinds.all(kind).slice(0, 1)).map((event) => [begin, event]),
  ];
  const others = ENDINGS.flatMap((kind) => kinds.all(kind).slice(1)).map((event, which) => [
    ...BEGINNINGS.flatMap((kind) => kinds.all(kind).slice(which + 1, which + 2)),
    event,
  ]);
  return [...items.map((some) => [begin, ...some, end]), ...largest, ...others].map(numbered);
};

const ITEMS_PER_STREAM = 5;

/** The events of each item, and all that belong to none. */
const toldIn = (kinds: EventKinds): JsonRecord[][] => {
  const items = kinds.all("response.output_item.done").map(({ item }) => (isRecord(item) ? item : {}));
  return [...items.map((item, at) => eventsOfItem(kinds, { item, at })), kinds.rest(ABOUT_ALL)];
};

const BEGINNINGS = ["response.created", "response.queued", "response.in_progress"];
const ENDINGS = ["response.completed", "response.incomplete", "response.failed", "error"];
const ABOUT_ALL = new Set([...BEGINNINGS, ...ENDINGS]);

const beginning = (kinds: EventKinds, which: number): JsonRecord[] =>
  BEGINNINGS.flatMap((kind) => {
    const all = kinds.all(kind);
    const one = all[which % all.length];
    return one ? [one] : [];
  });

const least = (kinds: EventKinds, kind: string): JsonRecord => kinds.all(kind).at(-1) ?? {};

/** Without a gap. */
const numbered = (events: readonly JsonRecord[]): JsonRecord[] =>
  events.map((event, at) => ({ ...event, sequence_number: at }));

const eventsOfItem = (kinds: EventKinds, part: Part): JsonRecord[] => {
  const { item, at } = part;
  const type = String(item["type"]);
  const growing = GROWING[type] ?? [];
  const begun: JsonRecord = { ...item };
  for (const name of growing) if (name in item) begun[name] = Array.isArray(item[name]) ? [] : "";
  return [
    kinds.one("response.output_item.added", { item: begun, output_index: at }),
    ...growing.flatMap((name) => grown(kinds, part, name)),
    ...STATES.flatMap((state) => kinds.some(`response.${type}.${state}`, placeOf(part))),
    ...(type === "image_generation_call"
      ? kinds.some("response.image_generation_call.partial_image", placeOf(part))
      : []),
    kinds.one("response.output_item.done", { item, output_index: at }),
  ];
};

const placeOf = ({ item, at }: Part): JsonRecord => ({
  output_index: at,
  item_id: typeof item["id"] === "string" ? item["id"] : `item_${at}`,
});

const grown = (kinds: EventKinds, part: Part, name: string): JsonRecord[] => {
  const value = part.item[name];
  const place = placeOf(part);
  if (name === "summary")
    return listOf(value).flatMap((one, at) => summaryOf(kinds, { ...place, summary_index: at }, one));
  if (name === "content")
    return listOf(value).flatMap((one, at) => contentOf(kinds, { ...place, content_index: at }, one));
  if (typeof value !== "string") return [];
  const kind = CHANNELS[String(part.item["type"])] ?? "";
  return [
    kinds.one(`${kind}.delta`, { ...place, delta: value }),
    kinds.one(`${kind}.done`, { ...place, [name]: value }),
  ];
};

/** Events that a string of an item comes in, by the item's type. */
const CHANNELS: Readonly<Record<string, string>> = {
  function_call: "response.function_call_arguments",
  custom_tool_call: "response.custom_tool_call_input",
  mcp_call: "response.mcp_call_arguments",
  code_interpreter_call: "response.code_interpreter_call_code",
};

const summaryOf = (kinds: EventKinds, place: JsonRecord, part: JsonRecord): JsonRecord[] => [
  kinds.one("response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } }),
  kinds.one("response.reasoning_summary_text.delta", { ...place, delta: part["text"] }),
  kinds.one("response.reasoning_summary_text.done", { ...place, text: part["text"] }),
  kinds.one("response.reasoning_summary_part.done", { ...place, part }),
];

const contentOf = (kinds: EventKinds, place: JsonRecord, part: JsonRecord): JsonRecord[] => {
  const type = String(part["type"]);
  const name = type === "refusal" ? "refusal" : "text";
  const annotations = listOf(part["annotations"]);
  const begun = { ...part, [name]: "", ...(annotations.length > 0 && { annotations: [] }) };
  return [
    kinds.one("response.content_part.added", { ...place, part: begun }),
    kinds.one(`response.${type}.delta`, { ...place, delta: part[name] }),
    ...annotations.map((annotation, at) =>
      kinds.one("response.output_text.annotation.added", { ...place, annotation, annotation_index: at }),
    ),
    kinds.one(`response.${type}.done`, { ...place, [name]: part[name] }),
    kinds.one("response.content_part.done", { ...place, part }),
  ];
};

const listOf = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);
