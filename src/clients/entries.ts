import { canonicalJson, isRecord, type JsonRecord } from "#core/json/json";
import type { At, Entry } from "./client";

/** What a document has at a place; undefined for nothing. */
export const valueAt = (document: unknown, at: At): unknown => {
  let value = document;
  for (const name of at) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
};

/** Where in a list the item of an entry is; -1 for nowhere. */
export const placeOf = (list: unknown, mark: string): number =>
  Array.isArray(list) ? list.findIndex((item: unknown) => isMarked(item, mark)) : -1;

/** A group that has hooks of others beside ours is theirs. */
const isMarked = (item: unknown, mark: string): boolean => {
  const hooks = valueAt(item, ["hooks"]);
  return JSON.stringify(item ?? null).includes(mark) && !(Array.isArray(hooks) && hooks.length > 1);
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
  const place = placeOf(list, entry.mark);
  return place < 0 ? [...list, entry.item] : list.with(place, entry.item);
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
