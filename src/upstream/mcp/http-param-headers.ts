import { isRecord, type JsonRecord } from "#core/json/json";
import { argumentAt, headerForm } from "#model/tools/mcp";
import type { HttpHeaders } from "./http-client.ts";

/*
 * What a request repeats in its headers (specification 2026-07-28, Streamable HTTP, "Request Metadata"; SEP-2243).
 */

/** An argument that is repeated in a header, and where it is. */
type Declaration = { readonly header: string; readonly path: readonly string[] };

/** Deeper is no schema anybody wrote, but a stack meant to overflow. */
const MAX_DEPTH = 64;
/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const KINDS: readonly unknown[] = ["string", "integer", "boolean"];
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A value as a header may carry it: plain where that is safe, else marked Base64 of its UTF-8. */
export const headerValue = (value: string): string =>
  PLAIN.test(value) && !(value.startsWith("=?base64?") && value.endsWith("?="))
    ? value
    : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;

/** What tools' schemas say about headers. Remembered by schema: schemas outlive calls. */
export class ParamHeaders {
  private readonly found = new WeakMap<object, readonly Declaration[] | null>();

  /** The `Mcp-Param-*` headers of one call. */
  of(inputSchema: unknown, args: JsonRecord): HttpHeaders {
    const declared = this.declared(inputSchema);
    if (declared === null || declared.length === 0) return NONE;
    const headers: Record<string, string> = {};
    for (const { header, path } of declared) {
      const value = headerForm(argumentAt(args, path));
      if (value !== null) headers[`mcp-param-${header}`] = headerValue(value);
    }
    return headers;
  }

  /** Whether a schema says only what may be said; a tool whose schema does not must not be listed. */
  areValid(inputSchema: unknown): boolean {
    return this.declared(inputSchema) !== null;
  }

  /** Null for a schema that breaks the rules. */
  private declared(inputSchema: unknown): readonly Declaration[] | null {
    if (!isRecord(inputSchema)) return [];
    const known = this.found.get(inputSchema);
    if (known !== undefined) return known;
    const declared: Declaration[] = [];
    const isValid = collect(inputSchema, [], declared) && areUnique(declared);
    const result = isValid ? declared : null;
    this.found.set(inputSchema, result);
    return result;
  }
}

const NONE: HttpHeaders = {};

/** Walks the `properties`, the only way to a header. False when one is declared wrongly, or anywhere else. */
const collect = (schema: JsonRecord, path: readonly string[], into: Declaration[]): boolean => {
  if (path.length > MAX_DEPTH) return false;
  const header = schema["x-mcp-header"];
  if (header !== undefined) {
    if (path.length === 0 || typeof header !== "string" || !TOKEN.test(header)) return false;
    if (!KINDS.includes(schema["type"])) return false;
    into.push({ header: header.toLowerCase(), path });
  }
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const areValid = Object.entries(properties).every(
    ([name, property]) => !isRecord(property) || collect(property, [...path, name], into),
  );
  return areValid && !Object.entries(schema).some(([key, value]) => !PASSED.has(key) && declaresHeader(value, 0));
};

/** Keywords that hold values, not schemas: what stands in them declares nothing. */
const DATA: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const PASSED: ReadonlySet<string> = new Set([...DATA, "properties", "x-mcp-header"]);

const declaresHeader = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_DEPTH || "x-mcp-header" in value) return true;
  return Object.entries(value).some(([key, inner]) => !DATA.has(key) && declaresHeader(inner, depth + 1));
};

const areUnique = (declared: readonly Declaration[]): boolean =>
  new Set(declared.map(({ header }) => header)).size === declared.length;
