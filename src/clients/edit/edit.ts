import type { Contents, Entry } from "#clients/client";
import { isSame, partAt, partOf, placeOf, valueAt, withEntries } from "#clients/entries";
import { textOf } from "#clients/example";
import { isRecord } from "#core/json/json";
import { type Editor, lineEndOf, type Place, Unreadable, Unwritable } from "./editor";
import { ENV } from "./env";
import { JSONC } from "./jsonc";
import { TOML } from "./toml";

const EDITORS: Readonly<Record<"json" | "toml" | "env", Editor>> = { json: JSONC, toml: TOML, env: ENV };

const BOM = "\ufeff";

/** What is behind a mark of the byte order, which stays where it is. */
const behindMark = (text: string, change: (rest: string) => string): string =>
  text.startsWith(BOM) ? BOM + change(text.slice(1)) : change(text);

/** A text with what the contents say; `null` is a file that is not there. Throws `Unreadable` and `Unwritable`. */
export const edited = (text: string | null, contents: Contents): string => {
  if (text === null || "text" in contents) return `${textOf(contents)}\n`;
  const editor = EDITORS[contents.format];
  return behindMark(text, (before) => {
    editor.parse(before);
    return contents.entries.reduce((now, entry) => checked(editor, now, entry), before);
  });
};

/** With an entry, held against what its value is to be. */
const checked = (editor: Editor, text: string, entry: Entry): string => {
  const wanted = withEntries(editor.parse(text), [entry]);
  const after = withEntry(editor, text, entry);
  if (after !== text && !isSame(read(editor, after, entry), wanted)) throw new Unwritable(entry.at);
  return after;
};

/** What was read before, and may not be after it was changed. */
const read = (editor: Editor, text: string, { at }: Entry): unknown => {
  try {
    return editor.parse(text);
  } catch (cause) {
    if (cause instanceof Unreadable) throw new Unwritable(at);
    throw cause;
  }
};

const withEntry = (editor: Editor, text: string, entry: Entry): string => {
  const document = editor.parse(text);
  const old = valueAt(document, entry.at);
  if ("absent" in entry) return old === undefined ? text : editor.remove(text, entry.at);
  if ("value" in entry) return isSame(old, entry.value) ? text : editor.set(text, entry.at, entry.value);
  if (old === undefined) return set(editor, text, entry.at, [entry.item]);
  if (!Array.isArray(old)) throw new Unwritable(entry.at);
  const place = placeOf(old, entry) ?? ([old.length] as const);
  const part = partOf(entry, place);
  return isSame(partAt(old, place), part) ? text : editor.set(text, [...entry.at, ...place], part);
};

/** The outermost value of a document that has none is written as a whole. */
const set = (editor: Editor, text: string, at: Place, value: unknown): string => {
  if (at.length > 0) return editor.set(text, at, value);
  if (text.trim() !== "") throw new Unwritable([]);
  return `${JSON.stringify(value, null, 2)}${lineEndOf(text)}`;
};

/**
 * A text without what an earlier one has not: takes the entries out again where the file has been changed since, and keeps
 * what was changed.
 */
export const without = (text: string, contents: Contents, before: string | null): string => {
  if ("text" in contents) return text;
  const editor = EDITORS[contents.format];
  return behindMark(text, (now) => {
    const earlier = editor.parse((before ?? "").replace(BOM, ""));
    return contents.entries.toReversed().reduce((left, entry) => withoutEntry(editor, left, entry, earlier), now);
  });
};

const withoutEntry = (editor: Editor, text: string, entry: Entry, earlier: unknown): string => {
  const old = valueAt(earlier, entry.at);
  const now = valueAt(editor.parse(text), entry.at);
  if (!("item" in entry)) return restored(editor, text, entry, now, old, earlier);
  const place = placeOf(now, entry);
  if (!place) return text;
  const at = [...entry.at, ...place];
  const oldPlace = placeOf(old, entry);
  if (oldPlace) return oldPlace.length === place.length ? editor.set(text, at, partAt(old, oldPlace)) : text;
  return pruned(editor, editor.remove(text, at), entry.at, earlier);
};

/** What is not as it was written is the person's by now. */
const restored = (
  editor: Editor,
  text: string,
  entry: Exclude<Entry, { readonly item: unknown }>,
  now: unknown,
  old: unknown,
  earlier: unknown,
): string => {
  const { at } = entry;
  if (!isSame(now, "value" in entry ? entry.value : undefined) || isSame(now, old)) return text;
  if (old !== undefined) return editor.set(text, at, old);
  return pruned(editor, editor.remove(text, at), at.slice(0, -1), earlier);
};

/** Without the objects and lists that are left empty and were not there. */
const pruned = (editor: Editor, text: string, at: readonly string[], earlier: unknown): string => {
  if (at.length === 0 || valueAt(earlier, at) !== undefined) return text;
  const value = valueAt(editor.parse(text), at);
  const isEmpty = Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
  return isEmpty ? pruned(editor, editor.remove(text, at), at.slice(0, -1), earlier) : text;
};
