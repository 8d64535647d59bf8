import { isRecord, type JsonRecord } from "#core/json/json";
import { digitsOf, type ExactNumber, isNumber } from "#core/json/json-number";
import { type JsonDocument, JsonReader, type ReaderPause, readJson, SMALL_TEXT } from "#core/json/json-reader";
import { jsonText } from "#core/json/json-writer";
import type { Origin } from "#scan/detector";
import { BARE_NAMES, KNOWN_NAMES, PLAIN_NAME, PROTOCOL_KEYS, shownName } from "./field-names";
import { isMediaPiece, type Media, mediaOf, mediaSlots } from "./media";
import { appliesTo, COMMON_RULES, type WalkRules } from "./walk-rules";

/** A text that is the value of one field or one item of a list. */
export class Field {
  constructor(
    readonly param: string,
    readonly origin: Origin,
    readonly text: string,
    private readonly holder: JsonRecord | unknown[],
    private readonly key: string | number,
    readonly field: string,
  ) {}

  replace(text: string): void {
    if (Array.isArray(this.holder)) this.holder[Number(this.key)] = text;
    else this.holder[this.key] = text;
  }
}

/** Where a value stands. */
export type ValuePlace = {
  readonly holder: JsonRecord | unknown[];
  readonly key: string | number;
  readonly param: string;
  readonly origin: Origin;
  readonly field: string;
};

/**
 * One text inside a JSON body: where it is, where it comes from, and how to put another in its place.
 * `param` is its JSON path as errors and audit records name it.
 */
export type Slot = {
  readonly param: string;
  readonly origin: Origin;
  readonly text: string;
  /** The JSON field it is the whole value of, or an item of the list of. As it came, so never to be shown. */
  readonly field?: string;
  /** It may be reported or blocked, but nothing is put in its place: what would be redacted is only flagged. */
  readonly isFixed?: boolean;
  /** Nothing can be put in its place, and what would be redacted may not pass: it blocks. */
  readonly isAllOrNothing?: boolean;
  replace(text: string): void;
};

/** A part of the body that no detector looks at, and why: recorded, never counted as passed. */
export type Gap = { readonly param: string; readonly reason: "binary" | "remote_media" | "too_deep" | "opaque" };

export type Texts = {
  readonly slots: readonly Slot[];
  readonly gaps: readonly Gap[];
  /** Something was left out of the body on the way, because no two readers need agree about it. */
  readonly isRewritten?: boolean;
  /** Places in an answer where a provider speaks of itself: scanned as all else, but no content to be counted or kept. */
  readonly envelope?: RegExp;
  /** Places in an answer that say the request again: treated in the same way. */
  readonly repeated?: RegExp;
  /** To be called when all that is replaced was replaced: JSON in strings is written anew once, not once a text. */
  settle?(): void;
  /** `settle` for long texts: gives way to others on the way. */
  settleSliced?(pause: ReaderPause): Promise<void>;
};

/** No detector has a match shorter than this. */
const MIN_MATCH_LENGTH = 6;
/** Numbers this long can be card or account numbers. */
const MIN_NUMBER_LENGTH = 9;

/** Where the fields of an object stand, whose they are, and which are left out. */
type Fields = {
  readonly param: string;
  readonly origin: Origin;
  readonly depth: number;
  readonly owner: string;
  readonly skip: ReadonlySet<string> | undefined;
};

/** Work of a walk that is not done yet, step by step. */
type Frame = { at: number; length: number; readonly cost: number; readonly step: (at: number) => void };

/**
 * Collects the texts of a JSON value, in the order they stand in. Without recursion, so that it can be done in slices:
 * `begin` and then `run` as often as it takes. Calling the other methods from outside does it in one piece.
 */
export class Walk implements Texts {
  readonly gaps: Gap[] = [];
  readonly envelope: RegExp;
  readonly repeated?: RegExp;
  isRewritten = false;
  private readonly values: Slot[] = [];
  private readonly names: Slot[] = [];
  private readonly inner: InnerJson[] = [];
  private readonly frames: Frame[] = [];
  private isRunning = false;
  /** Whether all is done in one go: then nothing needs to be kept for later. */
  private isAtOnce = false;
  /** Whether some values are looked at in a way of their own. */
  private readonly isSpecial: boolean;

  /** `skipsTexts`: only names, numbers and protocol values, where the texts are read as they stream. */
  constructor(
    private readonly maxDepth: number,
    private readonly skipsTexts = false,
    private readonly rules: WalkRules = COMMON_RULES,
  ) {
    this.envelope = rules.envelope;
    if (rules.repeated) this.repeated = rules.repeated;
    this.isSpecial = rules.looks !== undefined || rules.fixed !== undefined;
  }

  /** One text that stands for several values; what is put in its place is up to `replace`. */
  joined(param: string, origin: Origin, text: string, replace: (text: string) => void): void {
    if (text.length >= MIN_MATCH_LENGTH) this.values.push({ param, origin, text, replace });
  }

  /** Names come last: what is put in place of a value must find it under the name it came with. */
  get slots(): readonly Slot[] {
    return this.names.length === 0 ? this.values : [...this.values, ...this.names];
  }

  /** Writes JSON that stands in strings anew, where texts in it were replaced. */
  settle(): void {
    for (const inner of this.inner) inner.settle();
  }

  async settleSliced(pause: ReaderPause): Promise<void> {
    for (const inner of this.inner) await inner.settleSliced(pause);
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
    if (this.isInOneGo) {
      for (let at = 0; at < length; at += 1) step(at);
      return;
    }
    this.begin(length, step, cost);
    if (!this.isRunning) this.run();
  }

  /** One field of the body itself, its name included. */
  field(body: JsonRecord, key: string, origin: Origin): void {
    if (key.length >= MIN_MATCH_LENGTH && !KNOWN_NAMES.has(key)) this.name(body, key, "", origin);
    if (this.isPassedOver(body[key])) return;
    this.value(body, key, this.shown(key), origin, 1);
  }

  /** Everything below `holder[key]`. `field`: the name that the items of a list stand under. */
  value(
    holder: JsonRecord | unknown[],
    key: string | number,
    param: string,
    origin: Origin,
    depth: number,
    field = typeof key === "string" ? key : "",
  ): void {
    if (this.isSpecial && this.special({ holder, key, param, origin, field }, depth)) return;
    this.found(holder, key, param, origin, depth, field);
  }

  private found(
    holder: JsonRecord | unknown[],
    key: string | number,
    param: string,
    origin: Origin,
    depth: number,
    field: string,
  ): void {
    const value = Array.isArray(holder) ? holder[Number(key)] : holder[key];
    if (typeof value === "string") this.string({ holder, key, param, origin, field }, value, depth);
    else if (Array.isArray(value)) this.items(value, param, origin, depth + 1, field);
    else if (isRecord(value)) this.fields(value, param, origin, depth + 1, undefined, field);
    else if (isNumber(value)) this.number({ holder, key, param, origin, field }, value);
  }

  /** Whether there is no text in a value, whatever it stands under: most are such, and cost no path. */
  private isPassedOver(value: unknown): boolean {
    return !this.isSpecial && isTextless(value);
  }

  /** Whether a value was looked at in a way of its own. */
  private special({ holder, key, param, origin, field }: ValuePlace, depth: number): boolean {
    const { looks, fixed } = this.rules;
    if (looks?.(this, holder, key, param)) return true;
    if (fixed === undefined || !appliesTo(fixed, key, holder)) return false;
    this.fixed(() => this.found(holder, key, param, origin, depth, field));
    return true;
  }

  items(list: unknown[], param: string, origin: Origin, depth: number, field = ""): void {
    if (this.isTooDeep(param, depth)) return;
    // Nearly always: without a function made for each list.
    if (this.isInOneGo) for (let at = 0; at < list.length; at += 1) this.item(list, at, param, origin, depth, field);
    else this.itemsInSteps(list, param, origin, depth, field);
  }

  private itemsInSteps(list: unknown[], param: string, origin: Origin, depth: number, field: string): void {
    this.each(list.length, (at) => this.item(list, at, param, origin, depth, field));
  }

  private item(list: unknown[], at: number, param: string, origin: Origin, depth: number, field: string): void {
    if (!this.isPassedOver(list[at])) this.value(list, at, `${param}[${at}]`, origin, depth, field);
  }

  fields(
    record: JsonRecord,
    param: string,
    origin: Origin,
    depth: number,
    skip?: ReadonlySet<string>,
    /** The name that the record stands under. */
    owner = "",
  ): void {
    if (this.isTooDeep(param, depth)) return;
    const keys = Object.keys(record);
    if (!this.isInOneGo) this.fieldsInSteps(record, keys, { param, origin, depth, owner, skip });
    else for (const key of keys) if (!skip?.has(key)) this.member(record, key, param, origin, depth, owner);
  }

  private fieldsInSteps(
    record: JsonRecord,
    keys: readonly string[],
    { param, origin, depth, owner, skip }: Fields,
  ): void {
    this.each(keys.length, (at) => {
      const key = keys[at] ?? "";
      if (!skip?.has(key)) this.member(record, key, param, origin, depth, owner);
    });
  }

  private member(record: JsonRecord, key: string, param: string, origin: Origin, depth: number, owner: string): void {
    if (key.length >= MIN_MATCH_LENGTH && !KNOWN_NAMES.has(key)) this.name(record, key, param, origin);
    if (this.isPassedOver(record[key])) return;
    // Names we do not know are content too: they never reach an error or a record.
    const path = param === "" ? this.shown(key) : `${param}.${this.shown(key)}`;
    this.value(record, key, path, origin, depth, BARE_NAMES.has(key) ? `${owner}_${key}` : key);
  }

  private get isInOneGo(): boolean {
    return this.isRunning && this.isAtOnce;
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
      if (this.isInOneGo) {
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

  private string({ holder, key, param, origin, field }: ValuePlace, text: string, depth: number): void {
    if (text.length < MIN_MATCH_LENGTH) return;
    if (this.skipsTexts && !isProtocolValue(key, text) && !isMediaPiece(key, text)) return;
    if (typeof key === "string") {
      if (PROTOCOL_KEYS.has(key) && PLAIN_NAME.test(text)) return;
      if (!Array.isArray(holder) && appliesTo(this.rules.json, key, holder)) {
        this.json(holder, key, param, origin, depth);
        return;
      }
      if (this.isOpaque(holder, key, text)) {
        this.gaps.push({ param, reason: "opaque" });
        return;
      }
    }
    const media = mediaOf(key, param, text, this.isFile(holder, key));
    const isRemote = media === null && this.isRemote(key, param, text, holder);
    if (isRemote) this.gaps.push({ param, reason: "remote_media" });
    const slot = new Field(param, origin, text, holder, key, field);
    if (media === null) this.values.push(slot);
    else this.media(slot, media);
  }

  private isOpaque(holder: JsonRecord | unknown[], key: string, text: string): boolean {
    const { opaque } = this.rules;
    return opaque !== undefined && appliesTo(opaque, key, holder) && OPAQUE.test(text);
  }

  private isFile(holder: JsonRecord | unknown[], key: string | number): boolean {
    return this.rules.files !== undefined && appliesTo(this.rules.files, key, holder);
  }

  private isRemote(key: string | number, param: string, text: string, holder: JsonRecord | unknown[]): boolean {
    if (key === "url" && param.endsWith("image_url.url")) return true;
    return this.rules.remote !== undefined && appliesTo(this.rules.remote, key, holder) && !text.startsWith("data:");
  }

  private shown(key: string): string {
    return this.rules.names?.has(key) ? key : shownName(key);
  }

  /** Does work of the walk all of whose texts stay as they are. */
  private fixed(work: () => void): void {
    const values = this.values.length;
    const names = this.names.length;
    const mark = () => {
      for (let at = values; at < this.values.length; at += 1) {
        const slot = this.values[at];
        if (slot) this.values[at] = fixedSlot(slot);
      }
      for (let at = names; at < this.names.length; at += 1) {
        const slot = this.names[at];
        if (slot) this.names[at] = fixedSlot(slot);
      }
    };
    if (this.isInOneGo) {
      work();
      mark();
      return;
    }
    // Below what the work begins: done after all of that.
    this.begin(1, mark);
    work();
    if (!this.isRunning) this.run();
  }

  private media(field: Slot, media: Media): void {
    if (media.isUnscanned) this.gaps.push({ param: field.param, reason: "binary" });
    this.each(media.steps, (step) => this.values.push(...mediaSlots(media, step, field)), WALK_SLICE);
  }

  /** Digits are looked at as they were written: a double would round a card number to another. */
  private number({ holder, key, param, origin, field }: ValuePlace, value: number | ExactNumber): void {
    const text = typeof value === "number" ? String(value) : digitsOf(value);
    if (text.length >= MIN_NUMBER_LENGTH) this.values.push(new Field(param, origin, text, holder, key, field));
  }

  /** JSON in a string that is scanned as the text it is. */
  private put(holder: JsonRecord, key: string, param: string, origin: Origin, text: string): void {
    this.values.push(new Field(param, origin, text, holder, key, key));
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

const isTextless = (value: unknown): boolean => {
  if (typeof value === "string") return value.length < MIN_MATCH_LENGTH;
  // Written out, these are shorter than `MIN_NUMBER_LENGTH`.
  if (typeof value === "number") return Number.isInteger(value) && value > -1e7 && value < 1e8;
  return typeof value !== "object" || value === null;
};

const fixedSlot = ({ param, origin, text, field }: Slot): Slot => ({
  param,
  origin,
  text,
  isFixed: true,
  replace: () => {},
  ...(field !== undefined && { field }),
});

/** Encoded bytes and ids: in what is written otherwise a reader may find words. */
const OPAQUE = /^[\w+/=.:~-]*$/;

/** Does a walk in slices: after each `slice` of values it stops until `pause` resolves. The same texts as in one piece. */
export const walkSliced = async (walk: Walk, pause: ReaderPause, slice = WALK_SLICE): Promise<Texts> => {
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
      ...(slot.field !== undefined && { field: slot.field }),
      ...(slot.isFixed && { isFixed: true }),
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
      if (this.source.length <= SMALL_TEXT) this.addText(readJson(this.source), param, origin, depth);
      else if (this.reader.run(INNER_SLICE)) this.addText(this.reader.document, param, origin, depth);
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

  /** `settle` in slices. */
  async settleSliced(pause: ReaderPause): Promise<void> {
    await this.walk.settleSliced(pause);
    if (!this.isChanged && !this.isRewritten) return;
    const text = jsonText(this.value, pause);
    this.holder[this.key] = typeof text === "string" ? text : await text;
    this.isChanged = false;
    this.isRewritten = false;
  }

  private addText({ value, repeated }: JsonDocument, param: string, origin: Origin, depth: number): void {
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

/** What a provider says of itself, or repeats of the request: scanned as all else, but no content to be counted or kept. */
export const isEnvelope = (
  { param, origin }: Pick<Slot, "param" | "origin">,
  { envelope = COMMON_RULES.envelope, repeated }: Pick<Texts, "envelope" | "repeated"> = {},
): boolean => (origin === "output" && envelope.test(param)) || repeated?.test(param) === true;

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
    if (name.length >= MIN_MATCH_LENGTH && !KNOWN_NAMES.has(name) && !PLAIN_NAME.test(name)) return true;
    if (hasOddValues(Reflect.get(value, name), name, depth + 1)) return true;
  }
  return false;
};

const isOddText = (key: string | number, text: string): boolean =>
  isProtocolValue(key, text) ? text.length >= MIN_MATCH_LENGTH && !PLAIN_NAME.test(text) : isMediaPiece(key, text);

const MAX_ODD_DEPTH = 20;
/** Whole numbers below it have fewer digits than any detector looks for. */
const SMALL_NUMBER = 10 ** (MIN_NUMBER_LENGTH - 1);

/** The texts inside a tool call's `arguments`, which hold JSON as a string. */
export const textsOfArguments = (
  holder: { arguments: string },
  param: string,
  origin: Origin,
  maxDepth: number,
): Texts => {
  const walk = walkOfArguments(holder, param, origin, maxDepth);
  walk.run();
  return walk;
};

/** As `textsOfArguments`, still to be run: in one piece, or with `walkSliced`. */
export const walkOfArguments = (
  holder: { arguments: string },
  param: string,
  origin: Origin,
  maxDepth: number,
): Walk => {
  const walk = new Walk(maxDepth);
  walk.begin(1, () => walk.json(holder, "arguments", param, origin, 0));
  return walk;
};
