import { isRecord, type JsonRecord } from "#core/json/json";
import type { Repeat, Skipped } from "#guard/apis/api-stream";
import { placesOf } from "#guard/apis/events";
import { type Held, putValue, valueAt } from "#guard/apis/held-value";
import {
  groupOf,
  NO_ITEM,
  numberAt,
  type Place,
  partPath,
  partsIn,
  placesBesideParts,
  placesInDone,
  placesInPart,
} from "#guard/apis/responses-growing";
import { copyOf, isCopied } from "#guard/apis/same-json";

/** A part of an answer as an event had it: as it came, and where it stands in the event, which is as it leaves. */
type Known = Held & { readonly came: unknown };

/** A part of an event that is known, and what it is replaced with as the event leaves. */
type KnownPart = Held & { readonly known: Known };

/** An item of an answer, with its number. */
export type PlacedItem = {
  readonly item: JsonRecord;
  readonly group: number;
  readonly list: unknown[];
  readonly index: number;
};

/**
 * What the events of one stream say again. A response repeats each text up to five times: in deltas, in the event behind
 * them, in its part, in its item, and in the end. Annotations, parts and items that came before are known as a whole;
 * where a text stands in something that is not, it is held against the deltas alone.
 */
export class ResponsesRepeats {
  private readonly known = new Map<string, Known>();
  private readonly groups = new Map<string, number>();
  private readonly inEvent = new WeakMap<JsonRecord, readonly KnownPart[]>();

  /** The texts of an event that deltas may have said. Remembers the event, as it came. */
  repeatsIn(event: JsonRecord): readonly Repeat[] {
    const found: Found = { parts: [], repeats: [] };
    const group = groupOf(event);
    const { item, part, annotation } = event;
    for (const place of placesInDone(event)) found.repeats.push({ group, ...place });
    if (isDone(event) && isRecord(item)) {
      this.item(found, { group, path: "" }, { holder: event, key: "item" });
      this.number(item, group);
      this.remember(group, "", event, "item");
    } else if (isDone(event) && isRecord(part)) {
      this.part(found, { group, path: partPath(event) }, { holder: event, key: "part" });
      this.remember(group, partPath(event), event, "part");
    } else if (isRecord(item)) this.number(item, group);
    if (annotation !== undefined) this.remember(group, annotationPath(event), event, "annotation");
    for (const { group: of, list, index } of this.itemsIn(event)) {
      this.item(found, { group: of, path: "" }, { holder: list, key: index });
    }
    if (found.parts.length > 0) this.inEvent.set(event, found.parts);
    return found.repeats;
  }

  /** The items that an event about the whole response has, by the numbers that their own events had. */
  itemsIn({ response }: JsonRecord): PlacedItem[] {
    const output: unknown = isRecord(response) ? response["output"] : null;
    if (!Array.isArray(output)) return [];
    return output.flatMap((item: unknown, index) =>
      isRecord(item) ? [{ item, group: this.groups.get(String(item["id"])) ?? index, list: output, index }] : [],
    );
  }

  /** What of an event was looked at before: it is put in again as it left then. */
  skippedIn(event: JsonRecord): Skipped {
    return placesOf(this.inEvent.get(event) ?? []);
  }

  /** Puts in what left before; true when that is not what came. */
  rebuild(event: JsonRecord): boolean {
    let isChanged = false;
    for (const { holder, key, known } of this.inEvent.get(event) ?? []) {
      const left = valueAt(known);
      if (isCopied(known.came, left)) continue;
      putValue({ holder, key }, left);
      isChanged = true;
    }
    return isChanged;
  }

  private number(item: JsonRecord, group: number): void {
    if (typeof item["id"] === "string" && group !== NO_ITEM) this.groups.set(item["id"], group);
  }

  private remember(group: number, path: string, holder: JsonRecord, key: string): void {
    const came = copyOf(holder[key]);
    if (came !== undefined) this.known.set(`${group}/${path}`, { holder, key, came });
  }

  private isKnown(found: Found, { group, path }: Of, { holder, key }: Held): boolean {
    const known = this.known.get(`${group}/${path}`);
    if (!known || !isCopied(known.came, valueAt({ holder, key }))) return false;
    found.parts.push({ holder, key, known });
    return true;
  }

  private item(found: Found, { group, path }: Of, held: Held): void {
    const item = valueAt(held);
    if (!isRecord(item) || this.isKnown(found, { group, path }, held)) return;
    for (const place of placesBesideParts(item)) found.repeats.push(repeat(group, place));
    for (const { path: at, list, index } of partsIn(item))
      this.part(found, { group, path: at }, { holder: list, key: index });
  }

  private part(found: Found, of: Of, held: Held): void {
    const part = valueAt(held);
    if (!isRecord(part) || this.isKnown(found, of, held)) return;
    for (const place of placesInPart(part, of.path)) found.repeats.push(repeat(of.group, place));
    const { annotations } = part;
    if (!Array.isArray(annotations)) return;
    for (const index of annotations.keys()) {
      this.isKnown(
        found,
        { group: of.group, path: `${of.path}.annotations[${index}]` },
        { holder: annotations, key: index },
      );
    }
  }
}

type Found = { readonly parts: KnownPart[]; readonly repeats: Repeat[] };
type Of = { readonly group: number; readonly path: string };

const repeat = (group: number, place: Place): Repeat => ({ group, ...place });

const isDone = ({ type }: JsonRecord): boolean => typeof type === "string" && type.endsWith(".done");

export const annotationPath = (event: JsonRecord): string =>
  `${partPath(event)}.annotations[${numberAt(event, "annotation_index")}]`;
