import { canonicalJson, isRecord, type JsonRecord } from "#core/json/json";
import type { At, Entry, ItemEntry } from "./client";

/** What a document has at a place; undefined for nothing. */
export const valueAt = (document: unknown, at: At): unknown => {
  let value = document;
  for (const name of at) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
};

/** An item of a list, or one hook in a group of them. */
export type PlaceInList = readonly [item: number] | readonly [item: number, "hooks", hook: number];

/** Where in a list what an entry puts there is; null for nowhere. */
export const placeOf = (list: unknown, entry: ItemEntry): PlaceInList | null => {
  if (!Array.isArray(list)) return null;
  for (const [index, item] of list.entries()) {
    const place = placeIn(item, index, entry);
    if (place) return place;
  }
  return null;
};

/** In a group that has hooks of others beside ours, that one alone is ours; where it runs at other times, none is. */
const placeIn = (item: unknown, index: number, { item: ours, mark }: ItemEntry): PlaceInList | null => {
  const hooks = valueAt(item, ["hooks"]);
  if (!Array.isArray(hooks) || hooks.length < 2) return isMarked(item, mark) ? [index] : null;
  const hook = hooks.findIndex((one: unknown) => isMarked(one, mark));
  return hook >= 0 && isSame(withoutHooks(item), withoutHooks(ours)) ? [index, "hooks", hook] : null;
};

const isMarked = (part: unknown, mark: string): boolean => JSON.stringify(part ?? null).includes(mark);

const withoutHooks = (group: unknown): unknown => changed(group, ["hooks"], () => undefined);

/** What a list has at a place. */
export const partAt = (list: unknown, place: PlaceInList | null): unknown => {
  const item: unknown = Array.isArray(list) && place ? list[place[0]] : undefined;
  return place?.length === 3 ? hooksOf(item)[place[2]] : item;
};

/** What an entry puts at a place. */
export const partOf = ({ item }: ItemEntry, place: PlaceInList): unknown =>
  place.length === 3 ? hooksOf(item)[0] : item;

const hooksOf = (group: unknown): readonly unknown[] => {
  const hooks = valueAt(group, ["hooks"]);
  return Array.isArray(hooks) ? hooks : [];
};

export const isSame = (one: unknown, other: unknown): boolean => comparable(one) === comparable(other);

/** Numbers a format reads as big integers are the numbers others read. */
const comparable = (value: unknown): string =>
  value === undefined ? "" : canonicalJson(JSON.parse(JSON.stringify(value, (_, part) => plain(part))));

const plain = (part: unknown): unknown => (typeof part === "bigint" ? Number(part) : part);

/** A document as it is to be with these entries: what an edited text is held against. */
export const withEntries = (document: unknown, entries: readonly Entry[]): unknown =>
  entries.reduce((value, entry) => changed(value, entry.at, (old) => become(old, entry)), document);

const become = (old: unknown, entry: Entry): unknown => {
  if ("absent" in entry) return undefined;
  if ("value" in entry) return entry.value;
  const list = Array.isArray(old) ? old : [];
  const place = placeOf(list, entry);
  if (!place) return [...list, entry.item];
  const [index, , hook] = place;
  const part = partOf(entry, place);
  if (hook === undefined) return list.with(index, part);
  return list.with(
    index,
    changed(list[index], ["hooks"], (hooks) => (Array.isArray(hooks) ? hooks.with(hook, part) : hooks)),
  );
};

/** With another value at a place; objects that are missing on the way are made where there is one to put there. */
const changed = (value: unknown, at: At, change: (old: unknown) => unknown): unknown => {
  const [name, ...rest] = at;
  if (name === undefined) return change(value);
  const record: JsonRecord = isRecord(value) ? value : {};
  const old = Object.hasOwn(record, name) ? record[name] : undefined;
  const made = changed(old, rest, change);
  if (made === undefined) {
    if (old === undefined) return value;
    return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
  }
  return { ...record, [name]: made };
};
