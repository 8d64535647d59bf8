import { canonicalJson, isRecord } from "#core/json/json";

/** One place in which two JSON documents differ. `undefined` stands for nothing there. */
export type Difference = { readonly pointer: string; readonly before: unknown; readonly after: unknown };

/**
 * Where two JSON documents differ, as JSON pointers (RFC 6901) in order. Null and absent are the same. A list is one
 * place, and its order says nothing: what is listed does.
 */
export const differencesBetween = (before: unknown, after: unknown): Difference[] => walk("", before, after, unordered);

/** The same where the order of a list says something. */
export const changesBetween = (before: unknown, after: unknown): Difference[] => walk("", before, after, ordered);

type TextOf = (value: unknown) => string;

const ordered: TextOf = (value) => canonicalJson(value ?? null);
const unordered: TextOf = (value) =>
  Array.isArray(value) ? canonicalJson(value.map((item) => canonicalJson(item)).sort()) : ordered(value);

const walk = (pointer: string, before: unknown, after: unknown, textOf: TextOf): Difference[] => {
  if (isRecord(before) || isRecord(after)) {
    const [old, fresh] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
    if (!isAbsent(before, old) && !isAbsent(after, fresh)) {
      const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].sort();
      return names.flatMap((name) => walk(`${pointer}/${pointerPart(name)}`, own(old, name), own(fresh, name), textOf));
    }
  }
  return textOf(before) === textOf(after) ? [] : [{ pointer, before: before ?? null, after: after ?? null }];
};

/** Neither an object nor nothing: there is no going further down. */
const isAbsent = (value: unknown, asRecord: unknown): boolean =>
  value !== asRecord && value !== undefined && value !== null;

const own = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** A name in a JSON pointer. */
export const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
