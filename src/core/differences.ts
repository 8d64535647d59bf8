import { canonicalJson, isRecord } from "#core/json/json";

/** One place in which two JSON documents differ. `undefined` stands for nothing there. */
export type Difference = { readonly pointer: string; readonly before: unknown; readonly after: unknown };

/**
 * Where two JSON documents differ, as JSON pointers (RFC 6901) in order. Null and absent are the same. A list is one
 * place, and its order says nothing: what is listed does.
 */
export const differencesBetween = (before: unknown, after: unknown): Difference[] => walk("", before, after);

const walk = (pointer: string, before: unknown, after: unknown): Difference[] => {
  if (isRecord(before) || isRecord(after)) {
    const [old, fresh] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
    if (isAbsent(before, old) || isAbsent(after, fresh)) return whole(pointer, before, after);
    const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].sort();
    return names.flatMap((name) => walk(`${pointer}/${escaped(name)}`, own(old, name), own(fresh, name)));
  }
  return whole(pointer, before, after);
};

/** Neither an object nor nothing: there is no going further down. */
const isAbsent = (value: unknown, asRecord: unknown): boolean =>
  value !== asRecord && value !== undefined && value !== null;

const whole = (pointer: string, before: unknown, after: unknown): Difference[] =>
  textOf(before) === textOf(after) ? [] : [{ pointer, before: before ?? null, after: after ?? null }];

const textOf = (value: unknown): string =>
  Array.isArray(value) ? canonicalJson(value.map((item) => canonicalJson(item)).sort()) : canonicalJson(value ?? null);

const own = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
