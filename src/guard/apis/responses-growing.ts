import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import type { Piece } from "#guard/apis/api-stream";
import { itemParam, toolOf } from "#guard/apis/responses-tools";
import { isProtocolValue } from "#scan/texts/text-walk";

/* Texts that come piece by piece in the events of a response, by their place in its items. */

/** Stands for the item of what belongs to none. */
export const NO_ITEM = -1;

/** The channel that keeps a call of the caller's from leaving before it is complete. */
export const TOOL = "tool";

/** A text that grows: its path in its item, and the key under which the event behind its deltas repeats it. */
type Growing = { readonly path: string; readonly whole: string };

type Growth = (event: JsonRecord) => Growing;

export const numberAt = (event: JsonRecord, key: string): number => numberOf(event[key]) ?? 0;

const inPart = (key: string): Growth => {
  return (event) => ({ path: `content[${numberAt(event, "content_index")}].${key}`, whole: key });
};
const whole = (key: string): Growth => {
  const growing = { path: key, whole: key };
  return () => growing;
};

/** By the name between `response.` and `.delta`, `.done` or `.added`. */
const GROWTH: ReadonlyMap<string, Growth> = new Map([
  ["output_text", inPart("text")],
  ["refusal", inPart("refusal")],
  ["reasoning_text", inPart("text")],
  [
    "reasoning_summary_text",
    (event: JsonRecord) => ({ path: `summary[${numberAt(event, "summary_index")}].text`, whole: "text" }),
  ],
  ["function_call_arguments", whole("arguments")],
  ["mcp_call_arguments", whole("arguments")],
  ["custom_tool_call_input", whole("input")],
  ["code_interpreter_call_code", whole("code")],
  [
    "shell_call_command",
    (event: JsonRecord) => ({ path: `action.commands[${numberAt(event, "command_index")}]`, whole: "command" }),
  ],
  ["apply_patch_call_operation_diff", () => ({ path: "operation.diff", whole: "diff" })],
  ["audio.transcript", whole("transcript")],
]);

/** Pieces of a file in base64: no text. */
const AUDIO = "audio";
const SHELL_OUTPUT = "shell_call_output_content";
const SHELL_STREAMS = ["stdout", "stderr"];

const TYPE = /^response\.([\w.]+)\.(delta|done|added)$/;

/** What an event says of a text that grows: its name, and whether this is a piece of it or all of it. */
type Said = { readonly name: string; readonly how: string };

const saidIn = ({ type }: JsonRecord): Said | null => {
  const [, name, how] = (typeof type === "string" ? TYPE.exec(type) : null) ?? [];
  return name === undefined || how === undefined ? null : { name, how };
};

export const groupOf = (event: JsonRecord): number => numberOf(event["output_index"]) ?? NO_ITEM;

/** What a tool is given is held until it is complete, and so is what may be that: pieces of an item that nobody knows. */
const isInput = (path: string): boolean => /^(?:arguments|input|code|action|operation|\*)/.test(path);

const pieceOf = (event: JsonRecord, path: string, holder: JsonRecord | unknown[], key: string | number): Piece[] => {
  const text = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  if (typeof text !== "string") return [];
  const group = groupOf(event);
  return [{ group, path, isArguments: group !== NO_ITEM && isInput(path), text, holder, key }];
};

/** Every text of an event that grows from event to event. */
export const piecesOf = (event: JsonRecord): Piece[] => {
  const said = saidIn(event);
  if ("delta" in event) return piecesOfDelta(event, said?.how === "delta" ? said.name : String(event["type"]));
  if (said?.how !== "added") return [];
  const { item, part } = event;
  if (isRecord(item)) return [...toolPiece(event, item), ...begun(event, placesIn(item))];
  if (isRecord(part)) return begun(event, placesInPart(part, partPath(event)));
  const growing = GROWTH.get(said.name)?.(event);
  return growing ? pieceOf(event, growing.path, event, growing.whole) : [];
};

const begun = (event: JsonRecord, places: Iterable<Place>): Piece[] =>
  Array.from(places).flatMap(({ path, holder, key }) => pieceOf(event, path, holder, key));

const piecesOfDelta = (event: JsonRecord, name: string): Piece[] => {
  if (name === AUDIO) return [];
  const path = GROWTH.get(name)?.(event).path ?? unknownPath(event, name);
  const { delta } = event;
  if (typeof delta === "string") return pieceOf(event, path, event, "delta");
  if (!isRecord(delta)) return [];
  return Object.entries(delta).flatMap(([key, text]) =>
    typeof text === "string" && !isProtocolValue(key, text) ? pieceOf(event, `${path}.${key}`, delta, key) : [],
  );
};

/** Its name is not shown: it is a provider's, and nobody knows it. */
const unknownPath = (event: JsonRecord, name: string): string =>
  name === SHELL_OUTPUT
    ? `output[${numberAt(event, "command_index")}]`
    : `*${name}/${numberAt(event, "content_index")}/${numberAt(event, "summary_index")}/${numberAt(event, "command_index")}`;

/** With its name held a call leaves whole, or not at all: clients run what has a begin and an end. */
const toolPiece = (event: JsonRecord, item: JsonRecord): Piece[] => {
  const tool = toolOf(item);
  if (tool === null) return [];
  const key = item["name"] === tool && tool !== "" ? "name" : "type";
  return pieceOf(event, TOOL, item, key).map((piece) => ({ ...piece, isArguments: true }));
};

/** The path of a channel as records name it: that of the whole answer. */
export const paramOf = ({ group, path }: Pick<Piece, "group" | "path">): string => {
  const shown = path.startsWith("*") ? "*" : path;
  if (group === NO_ITEM) return shown;
  return path === TOOL ? itemParam(group) : `${itemParam(group)}.${shown}`;
};

/** Where in its item the part stands that an event is about. */
export const partPath = (event: JsonRecord): string =>
  event["summary_index"] === undefined
    ? `content[${numberAt(event, "content_index")}]`
    : `summary[${numberAt(event, "summary_index")}]`;

/** The channel that has all its text with an event. */
export const endedBy = (event: JsonRecord): string | null => {
  const said = saidIn(event);
  return said?.how === "done" ? (GROWTH.get(said.name)?.(event).path ?? null) : null;
};

/** A place where a text may stand that came piece by piece: its path in its item, and what holds it. */
export type Place = { readonly path: string; readonly holder: JsonRecord | unknown[]; readonly key: string | number };

/** Every place beside parts and items where an event may say again what deltas said. */
export function* placesInDone(event: JsonRecord): Generator<Place> {
  const said = saidIn(event);
  if (said?.how !== "done") return;
  const growing = GROWTH.get(said.name)?.(event);
  if (growing) yield { path: growing.path, holder: event, key: growing.whole };
  else if (said.name === SHELL_OUTPUT) yield* outputPlaces(event["output"], numberAt(event, "command_index"));
  else if (!isRecord(event["item"]) && !isRecord(event["part"])) {
    const path = unknownPath(event, said.name);
    for (const key of Object.keys(event)) if (typeof event[key] === "string") yield { path, holder: event, key };
  }
}

export function* placesInPart(part: JsonRecord, path: string): Generator<Place> {
  for (const key of ["text", "refusal"]) {
    if (typeof part[key] === "string") yield { path: `${path}.${key}`, holder: part, key };
  }
}

/** The same of an item, without its parts. */
export function* placesBesideParts(item: JsonRecord): Generator<Place> {
  for (const key of ["arguments", "input", "code"]) {
    if (typeof item[key] === "string") yield { path: key, holder: item, key };
  }
  const { action, operation, output } = item;
  const commands: unknown = isRecord(action) ? action["commands"] : null;
  if (Array.isArray(commands)) {
    for (const key of commands.keys()) yield { path: `action.commands[${key}]`, holder: commands, key };
  }
  if (isRecord(operation) && typeof operation["diff"] === "string") {
    yield { path: "operation.diff", holder: operation, key: "diff" };
  }
  yield* outputPlaces(output, 0);
}

function* outputPlaces(output: unknown, first: number): Generator<Place> {
  if (!Array.isArray(output)) return;
  for (const [index, one] of output.entries()) {
    if (!isRecord(one)) continue;
    for (const key of SHELL_STREAMS) {
      if (typeof one[key] === "string") yield { path: `output[${first + index}].${key}`, holder: one, key };
    }
  }
}

/** The parts of an item, in both lists that it may have. */
export function* partsIn(
  item: JsonRecord,
): Generator<{ readonly path: string; readonly list: unknown[]; readonly index: number }> {
  for (const name of ["content", "summary"]) {
    const list = item[name];
    if (!Array.isArray(list)) continue;
    for (const index of list.keys()) yield { path: `${name}[${index}]`, list, index };
  }
}

function* placesIn(item: JsonRecord): Generator<Place> {
  yield* placesBesideParts(item);
  for (const { path, list, index } of partsIn(item)) {
    const part: unknown = list[index];
    if (isRecord(part)) yield* placesInPart(part, path);
  }
}
