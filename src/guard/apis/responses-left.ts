import { isRecord, type JsonRecord } from "#core/json/json";
import { endedBy, groupOf, NO_ITEM, partPath, partsIn } from "#guard/apis/responses-growing";

/** A part of an item that has begun, and how far it has come. */
type Part = { part: JsonRecord; readonly pieces: string[]; isSaid: boolean; isClosed: boolean };
type Item = { readonly item: JsonRecord; readonly isDone: boolean; readonly parts: Map<string, Part> };

/** An event that has no number yet. */
export type Unnumbered = JsonRecord & { readonly type: string };

/** What has left of a response: what its client knows of it. */
export class ResponsesLeft {
  /** The response as its latest event had it; null before the first. */
  response: JsonRecord | null = null;
  private readonly items = new Map<number, Item>();

  follow(event: JsonRecord): void {
    const { type, response, item, part, annotation } = event;
    if (isRecord(response)) this.response = response;
    const group = groupOf(event);
    if (group === NO_ITEM) return;
    if (isRecord(item)) {
      this.items.set(group, { item, isDone: type === "response.output_item.done", parts: begunParts(item) });
      return;
    }
    const open = this.items.get(group);
    if (!open || open.isDone) return;
    const path = partPath(event);
    if (isRecord(part)) open.parts.set(path, newPart(part, typeof type === "string" && type.endsWith(".done")));
    const known = open.parts.get(path);
    if (!known) return;
    if (isRecord(annotation)) known.part = annotated(known.part, annotation);
    if (DELTAS.has(type) && typeof event["delta"] === "string") known.pieces.push(event["delta"]);
    else if (endedBy(event) !== null) known.isSaid = true;
  }

  /** The events that close what is open, in the API's own order. */
  closing(): Unnumbered[] {
    return [...this.items].flatMap(([output_index, open]) => {
      if (open.isDone) return [];
      const item = incomplete(open);
      const place = { ...(typeof item["id"] === "string" && { item_id: item["id"] }), output_index };
      const parts = [...open.parts].flatMap(([path, part]) => closingOf(part, { ...place, ...indexOf(path) }));
      return [...parts, { type: "response.output_item.done", output_index, item }];
    });
  }

  /** The items as they are when what is open is closed. */
  get output(): readonly JsonRecord[] {
    const byNumber = [...this.items].sort(([one], [other]) => one - other);
    return byNumber.map(([, open]) => (open.isDone ? open.item : incomplete(open)));
  }
}

/** Deltas of the texts of parts. */
const DELTAS: ReadonlySet<unknown> = new Set(
  ["output_text", "refusal", "reasoning_text", "reasoning_summary_text"].map((name) => `response.${name}.delta`),
);

const newPart = (part: JsonRecord, isClosed: boolean): Part => ({ part, pieces: [], isSaid: isClosed, isClosed });

const begunParts = (item: JsonRecord): Map<string, Part> => {
  const parts = new Map<string, Part>();
  for (const { path, list, index } of partsIn(item)) {
    const part: unknown = list[index];
    if (isRecord(part)) parts.set(path, newPart(part, true));
  }
  return parts;
};

const textKey = ({ type }: JsonRecord): "refusal" | "text" => (type === "refusal" ? "refusal" : "text");

const annotated = (part: JsonRecord, annotation: JsonRecord): JsonRecord => ({
  ...part,
  annotations: [...(Array.isArray(part["annotations"]) ? part["annotations"] : []), annotation],
});

const wholePart = ({ part, pieces }: Part): JsonRecord => {
  const key = textKey(part);
  return pieces.length === 0 ? part : { ...part, [key]: `${part[key] ?? ""}${pieces.join("")}` };
};

/** An item as far as it has come. */
const incomplete = ({ item, parts }: Item): JsonRecord => {
  const lists: Record<string, JsonRecord[]> = {};
  for (const [path, part] of parts) {
    const name = path.slice(0, path.indexOf("["));
    lists[name] = [...(lists[name] ?? []), wholePart(part)];
  }
  return { ...item, ...lists, ...("status" in item && { status: "incomplete" }) };
};

const indexOf = (path: string): JsonRecord => {
  const [, name, at] = /^(content|summary)\[(\d+)\]$/.exec(path) ?? [];
  return { [`${name}_index`]: Number(at) };
};

const closingOf = (open: Part, place: JsonRecord): Unnumbered[] => {
  if (open.isClosed) return [];
  const part = wholePart(open);
  const isSummary = "summary_index" in place;
  const end = {
    type: isSummary ? "response.reasoning_summary_part.done" : "response.content_part.done",
    ...place,
    part,
  };
  if (open.isSaid) return [end];
  const key = textKey(part);
  const logprobs = part["type"] === "output_text" ? { logprobs: [] } : {};
  const name = isSummary ? "reasoning_summary_text" : part["type"];
  return [{ type: `response.${name}.done`, ...place, [key]: part[key] ?? "", ...logprobs }, end];
};
