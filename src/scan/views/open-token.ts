import { TextDigits } from "./encodings";
import type { TextRun } from "./survey";

export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const MARK = 8;
/** A unit that escapes begin with. */
export const ESCAPE = 16;

/** What each unit is; 0 for what is of no token and begins no escape. */
export const KINDS = new Uint8Array(65_536);
for (const letter of "abcdefghijklmnopqrstuvwxyz") KINDS[letter.charCodeAt(0)] = LOWER;
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") KINDS[letter.charCodeAt(0)] = UPPER;
for (const digit of "0123456789") KINDS[digit.charCodeAt(0)] = DIGIT;
for (const mark of "+/_-") KINDS[mark.charCodeAt(0)] = MARK;
for (const mark of "%&\\") KINDS[mark.charCodeAt(0)] = ESCAPE;

/** One letter that is a word, in a language or another. */
const ONE_LETTER_WORDS = "aAIey";

/** Where a token begins but for what may have left as a word: words never wait. */
export function behindWordAt(text: string, start: number, end: number): number {
  const first = KINDS[text.charCodeAt(start)];
  if (first !== LOWER && first !== UPPER) return start;
  let at = start + 1;
  while (at < end && KINDS[text.charCodeAt(at)] === LOWER) at++;
  return behindWord(text, 0, start, at);
}

type Part = { readonly base64: TextDigits; readonly hex: TextDigits };

/** A token that has not ended: whether it, or what stands behind its last mark, may be an encoded text. */
export class OpenToken {
  /** -1: there is none. */
  start = -1;
  mask = 0;
  private isContinued = false;
  /** Where the word ends that it begins with; -1 while it goes on. */
  private wordTo = -1;
  /** Behind its last mark. */
  private part = 0;
  private partWordTo = -1;
  private whole: TextDigits | null = null;
  private hex: TextDigits | null = null;
  private digits: Part | null = null;

  /** `isContinued`: the part before it was cut off, so that it begins with no word. */
  open(start: number, isContinued: boolean): void {
    this.start = start;
    this.mask = 0;
    this.isContinued = isContinued;
    this.wordTo = -1;
    this.part = start;
    this.partWordTo = -1;
    this.whole = null;
    this.hex = null;
    this.digits = null;
  }

  /** So far it is a plain word of two letters or more, which is not encoded as long as it goes on like this. */
  isWord(to: number): boolean {
    return this.wordTo < 0 && to - this.start > 1 && !this.isContinued;
  }

  /** What puts it back to where it is now. */
  mark(): () => void {
    const { start, mask, isContinued, wordTo, part, partWordTo } = this;
    return () => {
      Object.assign(this, { start, mask, isContinued, wordTo, part, partWordTo, whole: null, hex: null, digits: null });
    };
  }

  /** Where of it something may be undone, which begins not before `covered`; `to`: where its units end. */
  openFrom(covered: number, to: number): number {
    if (this.start >= covered) return this.start;
    return this.part > this.start && this.part >= covered ? this.part : to;
  }

  /** Reads on in a text, up to `stop` at most; gives where the token's units end. Indices are those of the text. */
  take(text: string, base: number, from: number, stop: number): number {
    let at = from;
    for (; at < stop; at++) {
      const kind = KINDS[text.charCodeAt(at)] ?? 0;
      if (kind === LOWER) {
        this.mask |= LOWER;
        continue;
      }
      if (kind === 0 || kind === ESCAPE) break;
      this.mask |= kind;
      this.takeOdd(kind, base + at);
    }
    return at;
  }

  private takeOdd(kind: number, at: number): void {
    const isLetter = kind === UPPER;
    if (this.wordTo < 0 && !(isLetter && at === this.start)) this.wordTo = at;
    if (kind === MARK) {
      this.part = at + 1;
      this.partWordTo = -1;
      this.digits = null;
    } else if (this.partWordTo < 0 && !(isLetter && at === this.part)) this.partWordTo = at;
  }

  /** Where what may be encoded begins, units that may have left as a word left out; -1 if nothing may be. `to`: where its units end. */
  encodedFrom(text: string, base: number, to: number): number {
    const { start, part } = this;
    // Nearly all tokens.
    if (this.isWord(to)) return -1;
    const from = this.isContinued ? start : behindWord(text, base, start, this.wordTo < 0 ? to : this.wordTo);
    if (from === to) return -1;
    if (this.isWholeEncoded(text, base, to)) return from;
    if (part === start || part === to) return -1;
    const partFrom = behindWord(text, base, part, this.partWordTo < 0 ? to : this.partWordTo);
    return partFrom < to && this.isPartEncoded(text, base, to) ? partFrom : -1;
  }

  private isWholeEncoded(text: string, base: number, to: number): boolean {
    const { start } = this;
    this.whole ??= new TextDigits("base64", start);
    if (this.whole.follow(text, base, to) || mayBeHexPrefix(text, base, start, to)) return true;
    this.hex ??= new TextDigits("hex", hexStart(text, base, start));
    return this.hex.follow(text, base, to);
  }

  private isPartEncoded(text: string, base: number, to: number): boolean {
    const { part } = this;
    if (mayBeHexPrefix(text, base, part, to)) return true;
    this.digits ??= { base64: new TextDigits("base64", part), hex: new TextDigits("hex", hexStart(text, base, part)) };
    return this.digits.base64.follow(text, base, to) || this.digits.hex.follow(text, base, to);
  }
}

/** One letter is a word in few cases. */
const behindWord = (text: string, base: number, start: number, wordTo: number): number =>
  wordTo - start === 1 && !ONE_LETTER_WORDS.includes(text.charAt(start - base)) ? start : wordTo;

/** It may turn out to begin with `0x`. */
const mayBeHexPrefix = (text: string, base: number, start: number, to: number): boolean =>
  to - start === 1 && text.startsWith("0", start - base);

/** Behind `0x`. */
const hexStart = (text: string, base: number, start: number): number =>
  text.startsWith("0x", start - base) || text.startsWith("0X", start - base) ? start + 2 : start;

/** Pairs of hexadecimal digits, each parted by one unit from the one before. */
export class Pairs {
  count = 1;
  private readonly digits: TextDigits;

  constructor(
    readonly start: number,
    public end: number,
    text: string,
    base: number,
  ) {
    this.digits = new TextDigits("hex", 0);
    this.follow(text, base, start);
  }

  get isText(): boolean {
    return this.digits.isText;
  }

  add(start: number, text: string, base: number): void {
    this.end = start + 2;
    this.count++;
    this.follow(text, base, start);
  }

  private follow(text: string, base: number, start: number): void {
    this.digits.followAll(text.slice(start - base, start - base + 2));
  }
}

export type Dotted = TextRun & { readonly weight: number };
