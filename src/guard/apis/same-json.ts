import { isRecord } from "#core/json/json";
import { isExactNumber } from "#core/json/json-number";

/** What is larger is not remembered: comparing it would take long. Values and names. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

/** A copy that shares texts and nothing else; undefined for what is too large or too deep. */
export const copyOf = (value: unknown): unknown => {
  const left = { nodes: MAX_NODES };
  const copy = copied(value, left, 0);
  return left.nodes < 0 ? undefined : copy;
};

const copied = (value: unknown, left: { nodes: number }, depth: number): unknown => {
  left.nodes -= depth > MAX_DEPTH ? MAX_NODES + 1 : 1;
  if (left.nodes < 0 || typeof value !== "object" || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => copied(each, left, depth + 1));
  return new Map(Object.entries(value).map(([key, each]) => [key, copied(each, left, depth + 1)]));
};

/** Whether a value is what a copy was made of. */
export const isCopied = (copy: unknown, value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return Object.is(copy, value);
  if (isExactNumber(value)) return isExactNumber(copy) && copy.rawJSON === value.rawJSON;
  if (Array.isArray(value)) {
    if (!Array.isArray(copy) || copy.length !== value.length) return false;
    return value.every((each: unknown, at) => isCopied(copy[at], each));
  }
  if (!(copy instanceof Map) || !isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.length === copy.size && keys.every((key) => copy.has(key) && isCopied(copy.get(key), value[key]));
};
