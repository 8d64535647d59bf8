import { isRecord, type JsonRecord } from "#core/json";
import { digitsOf, type ExactNumber, isNumber } from "#core/json-number";
import { type JsonDocument, JsonReader, type Pause, readJson, SMALL_TEXT } from "#core/json-reader";
import { isMediaPiece, type Media, mediaOf, mediaSlots } from "#core/media";
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
  /** To be called when all that is replaced was replaced: JSON in strings is written anew once, not once a text. */
  settle?(): void;
};

/** Plain words under these keys are protocol (`role: "user"`); whatever is no plain word is scanned like any text. */
const PROTOCOL_KEYS = new Set(["role", "type", "id", "object", "finish_reason", "tool_call_id", "detail"]);
/** No detector has a match shorter than this. */
const SHORTEST_MATCH = 6;
/** Numbers this long can be card or account numbers. */
const SHORTEST_NUMBER = 9;

/** Field names of the published chat-completions interface and of JSON Schema, as they may be shown in a path. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  `messages content text name refusal tool_calls tool_call_id function function_call arguments custom input audio data
  transcript image_url url input_audio file file_data filename file_id tools functions description parameters
  properties items enum const default examples title tool_choice allowed_tools response_format json_schema schema
  format grammar definition prediction stop metadata conversation_id user safety_identifier prompt_cache_key
  web_search_options user_location approximate city country region timezone extra_body choices message delta
  annotations url_citation reasoning reasoning_content reasoning_details logprobs logit_bias stream_options modalities
  index detail type role id citations documents structuredContent resource blob uri mimeType isError inputResponses
  requestState inputRequests message model usage system_fingerprint service_tier finish_reason`.split(/\s+/),
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

/** Work of a walk that is not done yet, step by step. */
type Frame = { at: number; length: number; readonly cost: number; readonly step: (at: number) => void };

/**
 * Collects the texts of a JSON value, in the order they stand in. Without recursion, so that it can be done in slices:
 * `begin` and then `run` as often as it takes. Whoever calls the other methods from outside has it done in one piece.
 */
export class Walk implements Texts {
  readonly gaps: Gap[] = [];
  isRewritten = false;
  private readonly values: Slot[] = [];
  private readonly names: Slot[] = [];
  private readonly inner: InnerJson[] = [];
  private readonly frames: Frame[] = [];
  private isRunning = false;
  /** Whether all is done in one go: then nothing needs to be kept for later. */
  private isAtOnce = false;

  /** `skipsTexts`: only names, numbers and protocol values, where the texts are read as they stream. */
  constructor(
    private readonly maxDepth: number,
    private readonly skipsTexts = false,
  ) {}

  /** One text that stands for several values; what is put in its place is up to `replace`. */
  joined(param: string, origin: Origin, text: string, replace: () => void): void {
    if (text.length >= SHORTEST_MATCH) this.values.push({ param, origin, text, replace });
  }

  /** Names come last: what is put in place of a value must find it under the name it came with. */
  get slots(): readonly Slot[] {
    return this.names.length === 0 ? this.values : [...this.values, ...this.names];
  }

  /** Writes JSON that stands in strings anew, where texts in it were replaced. */
  settle(): void {
    for (const inner of this.inner) inner.settle();
  }

  /** To be done by `run`: `step` is called with each number below `length`, and all it begins is done before the next. */
  begin(length: number, step: (at: number) => void, cost = 1): void {
    this.frames.push({ at: 0, length, cost, step });
  }

  /** Goes on for `steps` values or names; true when nothing is left to do. */
  run(steps = Number.POSITIVE_INFINITY): boolean {
    this.isRunning = true;
    this.isAtOnce = steps === Number.POSITIVE_INFINITY;
    for (let left = steps; left > 0; ) {
      const frame = this.frames.at(-1);
      if (!frame) break;
      left -= frame.cost;
      if (frame.at >= frame.length) this.frames.pop();
      else {
        frame.at += 1;
        frame.step(frame.at - 1);
      }
    }
    this.isRunning = false;
    return this.frames.length === 0;
  }

  /** As `begin`; done at once unless it is part of a run. */
  each(length: number, step: (at: number) => void, cost = 1): void {
    if (this.isRunning && this.isAtOnce) {
      for (let at = 0; at < length; at += 1) step(at);
      return;
    }
    this.begin(length, step, cost);
    if (!this.isRunning) this.run();
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
    else if (isNumber(value)) this.number(holder, key, param, origin, value);
    else if (Array.isArray(value)) this.items(value, param, origin, depth + 1);
    else if (isRecord(value)) this.fields(value, param, origin, depth + 1);
  }

  items(list: unknown[], param: string, origin: Origin, depth: number): void {
    if (this.isTooDeep(param, depth)) return;
    this.each(list.length, (index) => this.value(list, index, `${param}[${index}]`, origin, depth));
  }

  fields(record: JsonRecord, param: string, origin: Origin, depth: number, skip?: ReadonlySet<string>): void {
    if (this.isTooDeep(param, depth)) return;
    const keys = Object.keys(record);
    this.each(keys.length, (at) => {
      const key = keys[at] ?? "";
      if (skip?.has(key)) return;
      // Names we do not know are content too: they never reach an error or a record.
      const path = param === "" ? shownName(key) : `${param}.${shownName(key)}`;
      if (key.length >= SHORTEST_MATCH && !KNOWN_NAMES.has(key)) this.name(record, key, param, origin);
      this.value(record, key, path, origin, depth);
    });
  }

  /**
   * JSON inside a string: its leaves are what a tool will see, so they are scanned unescaped. A name that an object
   * has twice is kept once, as it was scanned: parsers differ in which of the two they take.
   */
  json(holder: JsonRecord, key: string, param: string, origin: Origin, depth: number): void {
    const source = holder[key];
    if (typeof source !== "string") this.value(holder, key, param, origin, depth);
    else if (!STRUCTURE.test(source)) this.put(holder, key, param, origin, source);
    else {
      const inner = new InnerJson(holder, key, source, new Walk(this.maxDepth));
      const goOn = () => this.goOn(frame, inner, param, origin, depth);
      const frame: Frame = { at: 0, length: Number.POSITIVE_INFINITY, cost: INNER_SLICE, step: goOn };
      if (this.isRunning && this.isAtOnce) {
        while (frame.length > 0) goOn();
        return;
      }
      this.frames.push(frame);
      if (!this.isRunning) this.run();
    }
  }

  private goOn(frame: Frame, inner: InnerJson, param: string, origin: Origin, depth: number): void {
    if (!inner.run(param, origin, depth)) return;
    frame.length = 0;
    const { walk, holder, key, source } = inner;
    this.gaps.push(...walk.gaps);
    // What is no JSON, or nested too deeply, is scanned as the text it is. Escapes hide in the latter: it is a gap, too.
    if (!inner.isRead || walk.gaps.some(({ reason }) => reason === "too_deep")) {
      this.put(holder, key, param, origin, source);
      return;
    }
    if (inner.isRewritten) this.isRewritten = true;
    inner.settle();
    this.inner.push(inner);
    for (const slot of inner.slots) this.values.push(slot);
  }

  private isTooDeep(param: string, depth: number): boolean {
    if (depth <= this.maxDepth) return false;
    this.gaps.push({ param, reason: "too_deep" });
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
    if (this.skipsTexts && !isProtocolValue(key, text) && !isMediaPiece(key, text)) return;
    if (typeof key === "string") {
      if (PROTOCOL_KEYS.has(key) && PLAIN_NAME.test(text)) return;
      if (TOOL_INPUT_KEYS.has(key) && !Array.isArray(holder)) {
        this.json(holder, key, param, origin, depth);
        return;
      }
    }
    const media = mediaOf(key, param, text);
    const isRemote = media === null && key === "url" && param.endsWith("image_url.url");
    if (isRemote) this.gaps.push({ param, reason: "remote_media" });
    if (media === null) this.put(holder, key, param, origin, text);
    else this.media(new Field(param, origin, text, holder, key), media);
  }

  private media(field: Slot, media: Media): void {
    if (media.isUnscanned) this.gaps.push({ param: field.param, reason: "binary" });
    this.each(media.steps, (step) => this.values.push(...mediaSlots(media, step, field)), WALK_SLICE);
  }

  /** Digits are looked at as they were written: a double would round a card number to another. */
  private number(
    holder: JsonRecord | unknown[],
    key: string | number,
    param: string,
    origin: Origin,
    value: number | ExactNumber,
  ): void {
    const text = typeof value === "number" ? String(value) : digitsOf(value);
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

/** Does a walk in slices: after each `slice` of values it stops until `pause` resolves. The same texts as in one piece. */
export const walkSliced = async (walk: Walk, pause: Pause, slice = WALK_SLICE): Promise<Texts> => {
  while (!walk.run(slice)) await pause();
  return walk;
};

/** Values and names looked at between two pauses: about a millisecond. */
const WALK_SLICE = 8_192;
/** What can begin a JSON object or list. */
const STRUCTURE = /^\s*[[{]/;
/** Tokens or values done in one step of the outer walk. */
const INNER_SLICE = 256;

/** JSON in a string on its way through a walk: read, its texts collected, written anew when one was replaced. */
class InnerJson {
  /** Whether it is JSON. */
  isRead = true;
  isRewritten = false;
  private reader: JsonReader | null;
  private value: unknown;
  private isChanged = false;

  constructor(
    readonly holder: JsonRecord,
    readonly key: string,
    readonly source: string,
    readonly walk: Walk,
  ) {
    this.reader = new JsonReader(source);
  }

  /** The texts in it; what replaces them must be settled. */
  get slots(): Slot[] {
    return this.walk.slots.map((slot) => ({
      param: slot.param,
      origin: slot.origin,
      text: slot.text,
      replace: (text) => {
        slot.replace(text);
        this.isChanged = true;
      },
    }));
  }

  /** One step; true when it is done. */
  run(param: string, origin: Origin, depth: number): boolean {
    if (this.reader === null) return this.walk.run(INNER_SLICE);
    try {
      if (this.source.length <= SMALL_TEXT) this.take(readJson(this.source), param, origin, depth);
      else if (this.reader.run(INNER_SLICE)) this.take(this.reader.document, param, origin, depth);
      return false;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.isRead = false;
      return true;
    }
  }

  /** Puts what was changed in place of the source. */
  settle(): void {
    this.walk.settle();
    if (!this.isChanged && !this.isRewritten) return;
    this.holder[this.key] = JSON.stringify(this.value);
    this.isChanged = false;
    this.isRewritten = false;
  }

  private take({ value, repeated }: JsonDocument, param: string, origin: Origin, depth: number): void {
    this.reader = null;
    this.value = value;
    this.isRewritten = repeated !== null;
    const { walk } = this;
    walk.begin(1, () => {
      if (Array.isArray(value)) walk.items(value, param, origin, depth + 1);
      else if (isRecord(value)) walk.fields(value, param, origin, depth + 1);
    });
  }
}

/** Longest value that the protocol has for its own keys: ids. A longer one is a text. In UTF-16 units. */
const MAX_PROTOCOL_VALUE = 64;

/** What a provider says of itself: scanned as all else, but no content to be counted or kept. */
export const isEnvelope = ({ param, origin }: Pick<Slot, "param" | "origin">): boolean =>
  origin === "output" && ENVELOPE.test(param);

const ENVELOPE = /^(?:id|object|created|model|usage|system_fingerprint|service_tier)(?:$|[.[])/;

export const isPlainName = (name: string): boolean => KNOWN_NAMES.has(name) || PLAIN_NAME.test(name);

/** A value of a stream that is no text which grows chunk by chunk. */
export const isProtocolValue = (key: string | number, text: string): boolean =>
  typeof key === "string" && text.length <= MAX_PROTOCOL_VALUE && PROTOCOL_KEYS.has(key);

/** Whether a value holds anything that streams do not read as text and that has to be looked at all the same. */
export const hasOddValues = (value: unknown, key: string | number = 0, depth = 0): boolean => {
  if (typeof value === "string") return isOddText(key, value);
  if (typeof value === "number") return value >= SMALL_NUMBER || value <= -SMALL_NUMBER || !Number.isInteger(value);
  if (typeof value !== "object" || value === null) return false;
  // What lies deeper is refused where texts are read.
  if (isNumber(value) || depth > MAX_ODD_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => hasOddValues(item, 0, depth + 1));
  for (const name in value) {
    if (name.length >= SHORTEST_MATCH && !KNOWN_NAMES.has(name) && !PLAIN_NAME.test(name)) return true;
    if (hasOddValues(Reflect.get(value, name), name, depth + 1)) return true;
  }
  return false;
};

const isOddText = (key: string | number, text: string): boolean =>
  isProtocolValue(key, text) ? text.length >= SHORTEST_MATCH && !PLAIN_NAME.test(text) : isMediaPiece(key, text);

const MAX_ODD_DEPTH = 20;
/** Whole numbers below it have fewer digits than any detector looks for. */
const SMALL_NUMBER = 10 ** (SHORTEST_NUMBER - 1);

/** Names no detector can match: words of letters joined by single marks, without long runs of anything. */
const PLAIN_NAME = /^[a-z]{1,24}(?:[_.-]?[a-zA-Z]{1,24}){0,3}$/;
