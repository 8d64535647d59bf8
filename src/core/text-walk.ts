import { isRecord, type JsonRecord, parseJson } from "#core/json";
import type { Origin } from "#core/scan/detector";

/**
 * One text inside a JSON body: where it is, where it comes from, and how to put another in its place.
 * `param` is its JSON path as errors and audit records name it.
 */
export type Slot = {
  readonly param: string;
  readonly origin: Origin;
  readonly text: string;
  replace(text: string): void;
};

/** A part of the body that no detector looks at, and why: recorded, never counted as passed. */
export type Gap = { readonly param: string; readonly reason: "binary" | "remote_media" | "too_deep" };

export type Texts = {
  readonly slots: readonly Slot[];
  readonly gaps: readonly Gap[];
  /** Something was left out of the body on the way, because no two readers need agree about it. */
  readonly isRewritten?: boolean;
};

/** Plain words under these keys are protocol (`role: "user"`); whatever is no plain word is scanned like any text. */
const PROTOCOL_KEYS = new Set(["role", "type", "id", "object", "finish_reason", "tool_call_id", "detail"]);
/** No detector has a match shorter than this. */
const SHORTEST_MATCH = 6;
/** Numbers this long can be card or account numbers. */
const SHORTEST_NUMBER = 9;
/** base64 this long under a media key is a file, not a text. */
const SHORTEST_BINARY = 256;
const MEDIA_KEYS = new Set(["data", "file_data", "b64_json"]);
/** Where a tool's result holds a file (MCP, embedded resources). */
const RESOURCE_BLOB = "resource.blob";
/** Keys that may hold a whole `data:` URL. Anywhere else it is a text that begins like one. */
const MEDIA_URL_KEYS = new Set([...MEDIA_KEYS, "url", "image_url"]);
const DATA_URL = /^data:(?!text\/)[\w.+/-]*(?:;[\w.+=-]+)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]*=*$/;

/** Field names of the published chat-completions interface and of JSON Schema, as they may be shown in a path. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  `messages content text name refusal tool_calls tool_call_id function function_call arguments custom input audio data
  transcript image_url url input_audio file file_data filename file_id tools functions description parameters
  properties items enum const default examples title tool_choice allowed_tools response_format json_schema schema
  format grammar definition prediction stop metadata conversation_id user safety_identifier prompt_cache_key
  web_search_options user_location approximate city country region timezone extra_body choices message delta
  annotations url_citation reasoning reasoning_content reasoning_details logprobs logit_bias stream_options modalities
  index detail type role id citations documents structuredContent resource blob uri mimeType isError inputResponses
  requestState inputRequests message`.split(/\s+/),
);

/** What a tool is given: of functions, and of custom tools. */
const TOOL_INPUT_KEYS: ReadonlySet<string> = new Set(["arguments", "input"]);

const shownName = (key: string): string => (KNOWN_NAMES.has(key) ? key : "*");

/** A path of names as it came, as it may be shown: names we do not know are content. */
export const shownPath = (path: string): string =>
  path.replace(/[^.[\]]+/g, (name) => (/^\d+$/.test(name) ? name : shownName(name)));

/** A text that is the value of one field or one item of a list. */
class Field implements Slot {
  constructor(
    readonly param: string,
    readonly origin: Origin,
    readonly text: string,
    private readonly holder: JsonRecord | unknown[],
    private readonly key: string | number,
  ) {}

  replace(text: string): void {
    if (Array.isArray(this.holder)) this.holder[Number(this.key)] = text;
    else this.holder[this.key] = text;
  }
}

export class Walk {
  readonly gaps: Gap[] = [];
  isRewritten = false;
  private readonly values: Slot[] = [];
  private readonly names: Slot[] = [];
  private namesSeen = 0;

  constructor(private readonly maxDepth: number) {}

  /** Names come last: what is put in place of a value must find it under the name it came with. */
  get slots(): readonly Slot[] {
    return this.names.length === 0 ? this.values : [...this.values, ...this.names];
  }

  /** One field of the body itself, its name included. */
  field(body: JsonRecord, key: string, origin: Origin): void {
    if (key.length >= SHORTEST_MATCH && !KNOWN_NAMES.has(key)) this.name(body, key, "", origin);
    this.value(body, key, shownName(key), origin, 1);
  }

  /** Everything below `holder[key]`. */
  value(holder: JsonRecord | unknown[], key: string | number, param: string, origin: Origin, depth: number): void {
    const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
    if (typeof value === "string") this.string(holder, key, param, origin, value, depth);
    else if (typeof value === "number") this.number(holder, key, param, origin, value);
    else if (Array.isArray(value)) this.items(value, param, origin, depth + 1);
    else if (isRecord(value)) this.fields(value, param, origin, depth + 1);
  }

  items(list: unknown[], param: string, origin: Origin, depth: number): void {
    if (depth > this.maxDepth) {
      this.gaps.push({ param, reason: "too_deep" });
      return;
    }
    for (let index = 0; index < list.length; index += 1) {
      this.value(list, index, `${param}[${index}]`, origin, depth);
    }
  }

  fields(record: JsonRecord, param: string, origin: Origin, depth: number, skip?: ReadonlySet<string>): void {
    if (depth > this.maxDepth) {
      this.gaps.push({ param, reason: "too_deep" });
      return;
    }
    for (const key of Object.keys(record)) {
      this.namesSeen += 1;
      if (skip?.has(key)) continue;
      // Names we do not know are content too: they never reach an error or a record.
      const path = param === "" ? shownName(key) : `${param}.${shownName(key)}`;
      if (key.length >= SHORTEST_MATCH && !KNOWN_NAMES.has(key)) this.name(record, key, param, origin);
      this.value(record, key, path, origin, depth);
    }
  }

  /**
   * JSON inside a string: its leaves are what a tool will see, so they are scanned unescaped. A name that an object
   * has twice is kept once, as it was scanned: parsers differ in which of the two they take.
   */
  json(holder: JsonRecord, key: string, param: string, origin: Origin, depth: number): void {
    const source = holder[key];
    if (typeof source !== "string") this.value(holder, key, param, origin, depth);
    else if (!this.leaves(holder, key, source, param, origin, depth)) this.put(holder, key, param, origin, source);
  }

  /**
   * False for what is no JSON structure, or one that is too deep: then the text itself is what can be scanned. That
   * leaves a gap in what is too deep, since escapes hide in it.
   */
  private leaves(
    holder: JsonRecord,
    key: string,
    source: string,
    param: string,
    origin: Origin,
    depth: number,
  ): boolean {
    const parsed = parseJson(source);
    const inner = new Walk(this.maxDepth);
    if (Array.isArray(parsed)) inner.items(parsed, param, origin, depth + 1);
    else if (isRecord(parsed)) inner.fields(parsed, param, origin, depth + 1);
    else return false;
    this.gaps.push(...inner.gaps);
    if (inner.gaps.some(({ reason }) => reason === "too_deep")) return false;
    if (inner.isRewritten || namesIn(source) > inner.namesSeen) {
      holder[key] = JSON.stringify(parsed);
      this.isRewritten = true;
    }
    for (const slot of inner.slots) {
      this.values.push({
        ...slot,
        replace: (text) => {
          slot.replace(text);
          holder[key] = JSON.stringify(parsed);
        },
      });
    }
    return true;
  }

  private string(
    holder: JsonRecord | unknown[],
    key: string | number,
    param: string,
    origin: Origin,
    text: string,
    depth: number,
  ): void {
    if (text.length < SHORTEST_MATCH) return;
    if (typeof key === "string") {
      if (PROTOCOL_KEYS.has(key) && PLAIN_NAME.test(text)) return;
      if (TOOL_INPUT_KEYS.has(key) && !Array.isArray(holder)) {
        this.json(holder, key, param, origin, depth);
        return;
      }
      if (isBinary(key, text, param)) {
        this.gaps.push({ param, reason: "binary" });
        return;
      }
      if (key === "url" && param.endsWith("image_url.url")) this.gaps.push({ param, reason: "remote_media" });
    }
    this.put(holder, key, param, origin, text);
  }

  private number(
    holder: JsonRecord | unknown[],
    key: string | number,
    param: string,
    origin: Origin,
    value: number,
  ): void {
    const text = String(value);
    if (text.length >= SHORTEST_NUMBER) this.put(holder, key, param, origin, text);
  }

  private put(holder: JsonRecord | unknown[], key: string | number, param: string, origin: Origin, text: string): void {
    this.values.push(new Field(param, origin, text, holder, key));
  }

  /** Property names are text too: a schema or a free-form object can carry anything in them. */
  private name(record: JsonRecord, key: string, param: string, origin: Origin): void {
    if (PLAIN_NAME.test(key)) return;
    this.names.push({
      param: param === "" ? "*" : `${param}.*`,
      origin,
      text: key,
      replace: (next) => {
        if (next === key) return;
        record[next] = record[key];
        delete record[key];
      },
    });
  }
}

/** How many names the objects of a valid JSON text have. */
const namesIn = (json: string): number => {
  let count = 0;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) if (colon) count += 1;
  return count;
};

/** Names no detector can match: words of letters joined by single marks, without long runs of anything. */
const PLAIN_NAME = /^[a-z]{1,24}(?:[_.-]?[a-zA-Z]{1,24}){0,3}$/;

const isBinary = (key: string, text: string, param: string): boolean =>
  text.startsWith("data:")
    ? MEDIA_URL_KEYS.has(key) && isBase64Url(text)
    : text.length >= SHORTEST_BINARY && (MEDIA_KEYS.has(key) || param.endsWith(RESOURCE_BLOB)) && BASE64.test(text);

const isBase64Url = (text: string): boolean => {
  const head = DATA_URL.exec(text.slice(0, 200))?.[0];
  return head !== undefined && BASE64.test(text.slice(head.length));
};
