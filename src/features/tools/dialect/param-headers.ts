import { isRecord, type JsonRecord } from "#core/json/json";
import { argumentAt, headerForm } from "#model/tools/mcp";
import { mismatch } from "./failure";

/*
 * Arguments that a tool's schema marks with `x-mcp-header` are repeated in `Mcp-Param-*` headers, so that what stands
 * between can route by them (2026-07-28, Streamable HTTP, custom headers). Here they are held against each other.
 */

type Marked = { readonly path: readonly string[]; readonly header: string; readonly isNumber: boolean };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
/** Schemas are nested no deeper by people. */
const MAX_DEPTH = 16;

/** Throws `RpcRefusal` when a marked argument is not repeated, or another value is. */
export const checkParamHeaders = (schema: unknown, args: JsonRecord, headers: Headers): void => {
  for (const { path, header, isNumber } of markedIn(schema, [])) {
    const said = headerForm(argumentAt(args, path));
    // An argument that is not given, or has no form as a header, needs none.
    if (said === null) continue;
    const name = `Mcp-Param-${header}`;
    const value = headers.get(name);
    if (value === null) throw mismatch(name, "is missing");
    const decoded = decodeHeader(value);
    if (decoded === null) throw mismatch(name, "is not valid base64");
    const isSame = isNumber && DECIMAL.test(decoded) ? Number(decoded) === Number(said) : decoded === said;
    if (!isSame) throw mismatch(name, "says something else than the argument");
  }
};

/** A header's value, decoded where it says that it is encoded; null when it is not what it says. */
export const decodeHeader = (value: string): string | null => {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value;
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: no argument can be equal to it.
    return null;
  }
};

/** Marks count only where the path to them is certain: along `properties`. */
const markedIn = (schema: unknown, path: readonly string[]): Marked[] => {
  if (!isRecord(schema)) return [];
  const { properties, type } = schema;
  const header = schema["x-mcp-header"];
  const isMarked = path.length > 0 && typeof header === "string" && TOKEN.test(header);
  const own = isMarked ? [{ path, header, isNumber: type === "integer" || type === "number" }] : [];
  if (!isRecord(properties) || path.length >= MAX_DEPTH) return own;
  return Object.entries(properties).reduce((all, [key, inner]) => all.concat(markedIn(inner, [...path, key])), own);
};
