import { canonicalNumber, isExactNumber } from "#core/json/json-number";

/** A JSON object whose fields are not known. */
export type JsonRecord = Record<string, unknown>;

/** An object of names and values; a number that is kept as it was written is none. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/**
 * `undefined` for what is not JSON. For what is ours or only read: numbers are doubles. What is passed on, or compared
 * in a decision, is read with `#core/json-reader`.
 */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** JSON with the names of every object in order, so that equal values have equal texts: `1.0` and `1` are equal. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, inOrder);

const inOrder = (_key: string, value: unknown): unknown => {
  if (isExactNumber(value)) return canonicalNumber(value);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : Number(one > other))))
    : value;
};
