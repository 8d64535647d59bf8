/**
 * Where a position stands in a JSON text: inside a string; outside, where a value may begin or where none may;
 * before an object or array at the root, which may still turn out to be no JSON; or in a text that is not JSON.
 */
export type JsonPlace = "string" | "value" | "structure" | "root" | "plain";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKTICK = 0x60;
const LINE_FEED = 0x0a;
const SMALL_U = 0x75;

const LITERALS = ["true", "false", "null"];
/** What may stand behind a backslash. */
const ESCAPES = '"\\/bfnrtu';
/** Levels of nesting that are followed; a text nested deeper counts as no JSON from there on. */
const MAX_DEPTH = 1024;
/** A number is held in a stream until it ends. In UTF-16 units; a longer one ends the text's being JSON. */
const MAX_NUMBER = 1024;

export const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
export const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
export const beginsNumber = (unit: number): boolean => isDigit(unit) || unit === 0x2d;
/** Digits, `+`, `-`, `.`, `e`, `E`: numbers are not checked further. */
export const isOfNumber = (unit: number): boolean =>
  isDigit(unit) || unit === 0x2d || unit === 0x2e || unit === 0x2b || unit === 0x65 || unit === 0x45;
export const isStructure = (unit: number): boolean =>
  unit === COMMA || unit === COLON || opens(unit) || unit === CLOSE_LIST || unit === CLOSE_OBJECT;
/** Behind these a value, or a name, may begin. */
export const leadsToValue = (unit: number): boolean => unit === COMMA || unit === COLON || opens(unit);
export const opens = (unit: number): boolean => unit === OPEN_LIST || unit === OPEN_OBJECT;
/** The literal that stands at an offset. */
export const literalAt = (text: string, at: number): string | undefined =>
  LITERALS.find((literal) => text.startsWith(literal, at));

// What stands at a position, as numbers: a switch over strings costs five times as much a character.
const ROOT = 0;
const FENCE = 1;
const FENCE_INFO = 2;
const VALUE = 3;
const FIRST_VALUE = 4;
const NAME = 5;
const FIRST_NAME = 6;
const BEFORE_COLON = 7;
const AFTER = 8;
const STRING = 9;
const NUMBER = 10;
const LITERAL = 11;
const ESCAPE = 12;
const HEX = 13;
const OFF = 14;

const UNCHANGED = (): void => {};

/** By state. */
const PLACES: readonly JsonPlace[] = [
  "root",
  "plain",
  "plain",
  "value",
  "value",
  "structure",
  "structure",
  "structure",
  "structure",
  "string",
  "value",
  "value",
  "string",
  "string",
  "plain",
];

/**
 * Follows a text that begins with an object or array, alone or in a Markdown fence, for as long as it is JSON. It
 * decides by what came so far only, so that a text that comes in pieces is judged like the whole. Several documents
 * in a row (JSON lines) are followed too.
 */
export class JsonPlaces {
  private state: number = ROOT;
  private at = 0;
  /** Where the number, literal or escape sequence began that `at` stands in. */
  private tokenStart = 0;
  /** Backticks, or digits of a `\u` sequence, that came. */
  private count = 0;
  /** A fence may stand before the first document only. */
  private mayBeFenced = true;
  private literal = "";
  private isName = false;
  /** For each open container whether it is an object. */
  private readonly containers: boolean[] = [];

  /** It is not JSON, or not any more: nothing can change that. */
  get isOff(): boolean {
    return this.state === OFF;
  }

  get followedTo(): number {
    return this.at;
  }

  get place(): JsonPlace {
    return PLACES[this.state] ?? "plain";
  }

  /** How far the text was followed, or where what cannot be replaced in part began. */
  get from(): number {
    const { state } = this;
    const isInside = state >= NUMBER && state <= HEX;
    return isInside ? this.tokenStart : this.at;
  }

  /** What puts it back to where it is now. */
  mark(): () => void {
    if (this.isOff) return UNCHANGED;
    const { state, at, tokenStart, count, mayBeFenced, literal, isName } = this;
    const containers = [...this.containers];
    return () => {
      Object.assign(this, { state, at, tokenStart, count, mayBeFenced, literal, isName });
      this.containers.splice(0, this.containers.length, ...containers);
    };
  }

  /** Follows the text up to `to`; `raw` is the text from `base` on. */
  advance(raw: string, base: number, to: number): void {
    let at = this.at - base;
    const end = to - base;
    while (at < end && this.state !== OFF) at = this.next(raw, at, end, base);
    this.at = Math.max(this.at, to);
  }

  /** Follows the text up to `to`, of which it is known what stands there: a number may end just before it. */
  advanceTo(raw: string, base: number, to: number): void {
    this.advance(raw, base, to);
    if (this.state === NUMBER && !isOfNumber(raw.charCodeAt(this.at - base))) this.state = AFTER;
  }

  private next(raw: string, at: number, end: number, base: number): number {
    switch (this.state) {
      case STRING:
        return this.inString(raw, at, end, base);
      case NUMBER:
        return this.inNumber(raw, at, end, base);
      case ESCAPE:
      case HEX:
        this.inEscape(raw, at);
        return at + 1;
      case LITERAL:
        this.inLiteral(raw, at, base);
        return at + 1;
      case FENCE:
      case FENCE_INFO:
        this.inFence(raw.charCodeAt(at));
        return at + 1;
      default:
        this.between(raw.charCodeAt(at), base + at);
        return at + 1;
    }
  }

  private inString(raw: string, from: number, end: number, base: number): number {
    for (let at = from; at < end; at += 1) {
      const unit = raw.charCodeAt(at);
      if (unit === QUOTE) this.state = this.isName ? BEFORE_COLON : AFTER;
      else if (unit === BACKSLASH) this.begin(ESCAPE, base + at);
      else if (unit < 0x20) this.state = OFF;
      else continue;
      return at + 1;
    }
    return end;
  }

  private inNumber(raw: string, from: number, end: number, base: number): number {
    let at = from;
    while (at < end && isOfNumber(raw.charCodeAt(at))) {
      at += 1;
      if (base + at - this.tokenStart > MAX_NUMBER) {
        this.state = OFF;
        return at;
      }
    }
    if (at < end) this.state = AFTER;
    return at;
  }

  private inEscape(raw: string, at: number): void {
    const unit = raw.charCodeAt(at);
    if (this.state === ESCAPE) {
      if (!ESCAPES.includes(raw.charAt(at))) this.state = OFF;
      else this.state = unit === SMALL_U ? HEX : STRING;
      this.count = 0;
      return;
    }
    this.count += 1;
    if (!isDigit(unit) && !((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66)) this.state = OFF;
    else if (this.count === 4) this.state = STRING;
  }

  private inLiteral(raw: string, at: number, base: number): void {
    const index = base + at - this.tokenStart;
    if (raw.charAt(at) !== this.literal.charAt(index)) this.state = OFF;
    else if (index === this.literal.length - 1) this.state = AFTER;
  }

  /** The three backticks, and what stands behind them in their line. */
  private inFence(unit: number): void {
    if (this.state === FENCE) {
      this.count += 1;
      if (unit !== BACKTICK) this.state = OFF;
      else if (this.count === 3) this.state = FENCE_INFO;
    } else if (unit === LINE_FEED) this.state = ROOT;
    else if (!isSpace(unit) && !isDigit(unit) && !((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)) this.state = OFF;
  }

  private between(unit: number, at: number): void {
    if (isSpace(unit)) return;
    switch (this.state) {
      case ROOT:
        this.atRoot(unit);
        return;
      case VALUE:
      case FIRST_VALUE:
        this.atValue(unit, at);
        return;
      case NAME:
      case FIRST_NAME:
        this.atName(unit);
        return;
      case BEFORE_COLON:
        this.state = unit === COLON ? VALUE : OFF;
        return;
      default:
        this.behindValue(unit);
    }
  }

  private atRoot(unit: number): void {
    if (opens(unit)) this.open(unit);
    else if (unit === BACKTICK && this.mayBeFenced) {
      this.state = FENCE;
      this.count = 1;
      this.mayBeFenced = false;
    } else this.state = OFF;
  }

  private atValue(unit: number, at: number): void {
    if (unit === QUOTE) {
      this.isName = false;
      this.state = STRING;
    } else if (opens(unit)) this.open(unit);
    else if (beginsNumber(unit)) this.begin(NUMBER, at);
    else if (unit === CLOSE_LIST && this.state === FIRST_VALUE) this.close();
    else {
      this.literal = LITERALS.find((literal) => literal.charCodeAt(0) === unit) ?? "";
      if (this.literal === "") this.state = OFF;
      else this.begin(LITERAL, at);
    }
  }

  private atName(unit: number): void {
    if (unit === QUOTE) {
      this.isName = true;
      this.state = STRING;
    } else if (unit === CLOSE_OBJECT && this.state === FIRST_NAME) this.close();
    else this.state = OFF;
  }

  private behindValue(unit: number): void {
    const isObject = this.containers.at(-1);
    if (unit === COMMA) this.state = isObject ? NAME : VALUE;
    else if (unit === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) this.close();
    else this.state = OFF;
  }

  private begin(state: number, at: number): void {
    this.state = state;
    this.tokenStart = at;
  }

  private open(unit: number): void {
    if (this.containers.length === MAX_DEPTH) {
      this.state = OFF;
      return;
    }
    this.containers.push(unit === OPEN_OBJECT);
    this.state = unit === OPEN_OBJECT ? FIRST_NAME : FIRST_VALUE;
  }

  private close(): void {
    this.containers.pop();
    this.state = this.containers.length > 0 ? AFTER : ROOT;
    this.mayBeFenced = false;
  }
}
