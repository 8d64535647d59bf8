import { exactNumber } from "#core/json/json-number";

/** A JSON text that was read. */
export type JsonDocument = {
  /** Numbers that a double would change are `ExactNumber`; of a name given twice the last value counts. */
  readonly value: unknown;
  /**
   * JSON path of the first object found that has a name twice, or null. Readers differ in which of the two they take,
   * so such a text must not be passed on as it came. Names in it are content: see `shownPath`.
   */
  readonly repeated: string | null;
};

/** Gives other work its turn; resolves when to go on. */
export type ReaderPause = () => Promise<void>;

/** How much is done between two pauses, in tokens or 64 characters of a long one: 1 to 5 ms. Measured. */
export const SLICE = 8_192;

/** Texts up to this length, in UTF-16 units, are read in one piece in sliced forms too: well below a millisecond. */
export const SMALL_TEXT = 65_536;

/**
 * Whether a JSON text can have a number that a double does not write back: a fraction, an exponent, 16 digits or more,
 * or -0. Looks into strings too, so it says yes too often, never too seldom.
 */
const ODD_NUMBER = /(?:^|[:,[\s])(?:-0|-?\d(?:\d{0,14}[.eE]|\d{15}))/;

/** The value of a JSON text with every number as it was written. Throws `SyntaxError`, as `JSON.parse` does. */
export const parseExactly = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  if (!ODD_NUMBER.test(text)) return value;
  return isWrittenBack(value, text) ? value : read(text).value;
};

/** As `parseExactly`; undefined for what is not JSON: the caller falls back to the text itself. */
export const parseExact = (text: string): unknown => {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
};

/** As `parseExact`; a long text comes as a promise, read in slices: see `readJsonSliced`. */
export const parseExactInTurns = (text: string, pause: ReaderPause): unknown =>
  text.length <= SMALL_TEXT ? parseExact(text) : readJsonSliced(text, pause).then(({ value }) => value, orUndefined);

const orUndefined = (error: unknown): undefined => {
  if (!(error instanceof SyntaxError)) throw error;
};

/** Value and repeated names of a JSON text. Throws `SyntaxError`. */
export const readJson = (text: string): JsonDocument => {
  if (text.length > SMALL_TEXT) return read(text);
  const value: unknown = JSON.parse(text);
  return isWrittenBack(value, text) ? { value, repeated: null } : read(text);
};

/** What is written back as it came has lost nothing: no digit, and no second value of a name. */
const isWrittenBack = (value: unknown, text: string): boolean => {
  try {
    return text.length <= SMALL_TEXT && JSON.stringify(value) === text;
  } catch (error) {
    // Nested too deeply for the native writer, which the reader here is not.
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/**
 * As `readJson`, for texts of any length on a thread that serves others: after each `slice` the work stops until
 * `pause` resolves. The same document as `readJson` gives. Rejects with `SyntaxError`, and with what `pause` rejects.
 */
export const readJsonSliced = async (text: string, pause: ReaderPause, slice = SLICE): Promise<JsonDocument> => {
  const reader = new JsonReader(text);
  while (!reader.run(slice)) await pause();
  return reader.document;
};

const read = (text: string): JsonDocument => {
  const reader = new JsonReader(text);
  reader.run(Number.POSITIVE_INFINITY);
  return reader.document;
};

/** What may come next. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME = 2;
const NAME_OR_END = 3;
const AFTER = 4;
const STRING = 5;
const OVER = 6;

/** Strings longer than this are left to the native parser. */
const SHORT_STRING = 40;
/** Of a long string, so much is read at once, in UTF-16 units. */
const BLOCK = 65_536;
/** Objects with more names than this are asked about each further one, so that their end costs nothing. */
const FEW_NAMES = 32;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

type Open = { readonly holder: unknown[] | Record<string, unknown>; name: string; names: number };

/**
 * Reads a JSON text piece by piece, without recursion. Slower than `JSON.parse` for many small values, as fast for
 * long strings, which it leaves to it. Takes the texts that `JSON.parse` takes.
 */
export class JsonReader {
  private at = 0;
  private state = VALUE;
  private readonly stack: Open[] = [];
  private root: unknown = null;
  private repeated: string | null = null;
  /** Where the next quotation mark and the next backslash are, as far as was looked. */
  private quote = -1;
  private backslash = -1;
  /** The parts of a long string, and whether it is a name. */
  private parts: string[] = [];
  private isName = false;

  constructor(private readonly text: string) {}

  /** Once `run` has returned true. */
  get document(): JsonDocument {
    return { value: this.root, repeated: this.repeated };
  }

  /** Goes on for about `budget` tokens, or 64 characters of long ones; true when all is read. Throws `SyntaxError`. */
  run(budget: number): boolean {
    for (let left = budget; left > 0; ) {
      const begin = this.at;
      this.step();
      if (this.state === OVER && this.at >= this.text.length) return true;
      left -= 1 + ((this.at - begin) >> 6);
    }
    return false;
  }

  private step(): void {
    if (this.state === STRING) {
      this.longString();
      return;
    }
    const code = this.next();
    if (isSpace(code)) return;
    const { state } = this;
    if (state === AFTER) this.after(code);
    else if ((state === VALUE_OR_END && code === 0x5d) || (state === NAME_OR_END && code === 0x7d)) this.close();
    else if (state === VALUE || state === VALUE_OR_END) this.value(code);
    else if (state !== OVER) this.name(code);
    // A blank end of the text is all that may follow.
    else if (this.at < this.text.length) throw this.unexpected();
  }

  /** The next character that is no space, or a space when there are very many; NaN at the end. */
  private next(): number {
    const { text } = this;
    const most = this.at + BLOCK;
    let code = text.charCodeAt(this.at);
    while (isSpace(code) && this.at < most) {
      this.at += 1;
      code = text.charCodeAt(this.at);
    }
    return code;
  }

  private value(code: number): void {
    if (code === 0x22) this.string(false);
    else if (code === 0x7b) this.open({}, NAME_OR_END);
    else if (code === 0x5b) this.open([], VALUE_OR_END);
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.number(code);
    else if (code === 0x74) this.word("true", true);
    else if (code === 0x66) this.word("false", false);
    else this.word("null", null);
  }

  private name(code: number): void {
    if (code !== 0x22) throw this.unexpected();
    this.string(true);
  }

  private after(code: number): void {
    const holder = this.stack.at(-1)?.holder;
    const isList = Array.isArray(holder);
    if (code === 0x2c) {
      this.at += 1;
      this.state = isList ? VALUE : NAME;
    } else if (code === (isList ? 0x5d : 0x7d)) this.close();
    else throw this.unexpected();
  }

  private open(holder: unknown[] | Record<string, unknown>, state: number): void {
    this.at += 1;
    this.put(holder);
    this.stack.push({ holder, name: "", names: 0 });
    this.state = state;
  }

  private close(): void {
    this.at += 1;
    const top = this.stack.at(-1);
    if (top && !Array.isArray(top.holder) && top.names <= FEW_NAMES) this.compare(top);
    this.stack.pop();
    this.state = this.stack.length === 0 ? OVER : AFTER;
  }

  private compare({ holder, names }: Open): void {
    if (this.repeated === null && Object.keys(holder).length < names) this.repeated = this.path();
  }

  /** Puts a value where it belongs. */
  private put(value: unknown): void {
    const top = this.stack.at(-1);
    if (!top) {
      this.root = value;
      this.state = OVER;
      return;
    }
    if (Array.isArray(top.holder)) top.holder.push(value);
    else if (top.name === "__proto__") {
      Object.defineProperty(top.holder, top.name, { value, writable: true, enumerable: true, configurable: true });
    } else top.holder[top.name] = value;
    this.state = AFTER;
  }

  /** A string has ended: a value, or a name whose colon follows. */
  private append(text: string, isName: boolean): void {
    const top = this.stack.at(-1);
    if (!isName || !top) {
      this.put(text);
      return;
    }
    let code = this.text.charCodeAt(this.at);
    while (isSpace(code)) {
      this.at += 1;
      code = this.text.charCodeAt(this.at);
    }
    if (code !== 0x3a) throw this.unexpected();
    this.at += 1;
    if (top.names === FEW_NAMES) this.compare(top);
    if (top.names >= FEW_NAMES && this.repeated === null && Object.hasOwn(top.holder, text)) {
      this.repeated = this.path();
    }
    top.names += 1;
    top.name = text;
    this.state = VALUE;
  }

  private string(isName: boolean): void {
    const { text } = this;
    const begin = this.at + 1;
    const most = begin + SHORT_STRING;
    for (let at = begin; at < most; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.at = at + 1;
        this.append(text.slice(begin, at), isName);
        return;
      }
      // Escapes, control characters, the end of the text.
      if (code === 0x5c || !(code >= 0x20)) break;
    }
    this.at = begin;
    this.isName = isName;
    this.parts = [];
    this.state = STRING;
  }

  /** One block of a long string, cut where no escape is torn apart. */
  private longString(): void {
    const { text } = this;
    const begin = this.at;
    const most = begin + BLOCK;
    let at = begin;
    for (;;) {
      if (this.quote < at) this.quote = found(text, '"', at);
      if (this.backslash < at) this.backslash = found(text, "\\", at);
      if (this.backslash >= Math.min(this.quote, most)) break;
      at = this.backslash + (text.charCodeAt(this.backslash + 1) === 0x75 ? 6 : 2);
    }
    const isOver = this.quote < this.backslash && this.quote <= most;
    const end = isOver ? this.quote : Math.max(at, Math.min(most, this.backslash));
    if (end >= text.length) throw this.unexpected();
    this.parts.push(unescaped(text.slice(begin, end)));
    this.at = end;
    if (!isOver) return;
    this.at += 1;
    const [first = "", second] = this.parts;
    const whole = second === undefined ? first : this.parts.join("");
    this.parts = [];
    this.append(whole, this.isName);
  }

  private number(first: number): void {
    const { text } = this;
    const begin = this.at;
    let value = 0;
    let at = begin;
    for (let code = first; code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) {
      value = value * 10 + (code - 0x30);
      at += 1;
    }
    const code = text.charCodeAt(at);
    const isPlain = at > begin && at - begin <= 15 && code !== 0x2e && (code | 0x20) !== 0x65;
    if (isPlain && (first !== 0x30 || at === begin + 1)) {
      this.at = at;
      this.put(value);
      return;
    }
    NUMBER.lastIndex = begin;
    const source = NUMBER.exec(text)?.[0];
    if (source === undefined) throw this.unexpected();
    this.at = begin + source.length;
    this.put(exactNumber(source));
  }

  private word(word: string, value: unknown): void {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    this.put(value);
  }

  /** Of the innermost object that is open. */
  private path(): string {
    let path = "";
    for (const { holder, name } of this.stack.slice(0, -1)) {
      if (Array.isArray(holder)) path += `[${holder.length - 1}]`;
      else path += path === "" ? name : `.${name}`;
    }
    return path;
  }

  /** Says where, never what. */
  private unexpected(): SyntaxError {
    return new SyntaxError(`This is no JSON at position ${this.at}.`);
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const found = (text: string, what: string, from: number): number => {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
};

/** The native parser refuses what must not stand in a string. */
const unescaped = (part: string): string => {
  const value: unknown = JSON.parse(`"${part}"`);
  return typeof value === "string" ? value : "";
};
