import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";

/*
 * Arguments that are repeated in `Mcp-Param-*` headers (specification 2026-07-28, Streamable HTTP, custom headers):
 * what both legs of a call must agree on.
 */

/** Undefined for what is not there. */
export const argumentAt = (args: JsonRecord, path: readonly string[]): unknown => {
  let value: unknown = args;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
};

/** As a header says it; null for what has no form as one. Whole numbers beyond 2^53 are not the same on both sides. */
export const headerForm = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const number = numberOf(value);
  if (number === undefined || !Number.isFinite(number)) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? null : String(number);
};
