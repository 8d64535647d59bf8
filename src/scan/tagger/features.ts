import type { Lexicon } from "./lexicon";
import {
  APART,
  COMMON,
  CUE,
  FIRST_NAME,
  hashOf,
  isCapital,
  isDigit,
  isLetter,
  LAST_NAME,
  mixed,
  type Neighbour,
  PLACE,
  readBefore,
  readBehind,
  STREET,
} from "./words";

export const FEATURES = 19;

/** Units before a word that its features may depend on: two words, and what parts them. */
export const SEEN_BEFORE = 60;

const SPACE = 0x20;
const NAMED = FIRST_NAME | LAST_NAME | PLACE | STREET;
const STREET_END =
  /(?:stra(?:ss|ß)e|str|weg|platz|allee|gasse|ufer|damm|ring|straat|laan|plein|gracht|gatan|vagen|gade|vej|katu)$/i;
const MIN_STREET_END = 6;

const SHAPE = { capital: 0, capitals: 1, mixed: 2, initial: 3 } as const;
const BESIDE = { none: 0, lower: 1, capital: 2, number: 3, other: 4 } as const;

/** What a word looks like from outside: itself, and the words beside it. */
export class Surroundings {
  private readonly before: Neighbour = { apart: 0, start: 0, end: 0 };
  private readonly earlier: Neighbour = { apart: 0, start: 0, end: 0 };
  private readonly behind: Neighbour = { apart: 0, start: 0, end: 0 };
  private text = "";
  private start = 0;
  private end = 0;
  private hash = 0;
  private bits = 0;
  private bitsBefore = 0;
  private bitsBehind = 0;
  /** What was asked depends on what comes behind the text's end. */
  isEdge = false;
  /** Hashes of the features; all are valid after `features`. */
  readonly found = new Int32Array(FEATURES);

  constructor(private readonly lexicon: Lexicon) {}

  /**
   * Whether it is worth judging: most capitalised words are ordinary ones, and end here.
   */
  isCandidate(text: string, start: number, end: number): boolean {
    this.read(text, start, end);
    if (end - start > 1 && isCapital(text.charCodeAt(end - 1))) return this.isNameInCapitals();
    if ((this.bits & NAMED) !== 0) return true;
    readBefore(text, start, this.before);
    const { before } = this;
    const follows = before.apart === APART.blank && isDigit(text.charCodeAt(before.start));
    if ((this.bits & COMMON) !== 0) return follows;
    if (follows) return true;
    if (before.end > before.start) {
      this.bitsBefore = this.lexicon.bitsOf(hashOf(text, before.start, before.end));
      if ((this.bitsBefore & (CUE | STREET)) !== 0) return true;
      readBefore(text, before.start, this.earlier);
      const { earlier } = this;
      const bitsEarlier = this.lexicon.bitsOf(hashOf(text, earlier.start, earlier.end));
      if (bitsEarlier === (CUE | COMMON)) return true;
    }
    if (this.isStreet(text, start, end)) return true;
    // `Xyzzy Miller`: the word behind it tells.
    if (end + 1 >= text.length) this.isEdge = true;
    if (text.charCodeAt(end) !== SPACE || !isCapital(text.charCodeAt(end + 1))) return false;
    readBehind(text, end, this.behind);
    const { behind } = this;
    if (behind.end === text.length) this.isEdge = true;
    return (this.lexicon.bitsOf(hashOf(text, behind.start, behind.end)) & (FIRST_NAME | LAST_NAME)) !== 0;
  }

  /** `POST` and `DAN` are none, `JOHN SMITH` is: known for nothing else, and not the only capitalised word there. */
  private isNameInCapitals(): boolean {
    const { text, start, end, bits } = this;
    if ((bits & NAMED) === 0 || (bits & COMMON) !== 0 || end - start < 3) return false;
    if (start > 1 && text.charCodeAt(start - 1) === SPACE) {
      readBefore(text, start, this.before);
      if (isCapital(text.charCodeAt(this.before.start))) return true;
    }
    if (end + 1 >= text.length) this.isEdge = true;
    return text.charCodeAt(end) === SPACE && isCapital(text.charCodeAt(end + 1));
  }

  /** What the lexicon has of the word last judged. */
  get wordBits(): number {
    return this.bits;
  }

  /** Whether a word names a street by itself: `Street`, `Hauptstraße`. */
  isStreet(text: string, start: number, end: number): boolean {
    if ((this.lexicon.bitsOf(hashOf(text, start, end)) & STREET) !== 0) return true;
    return end - start >= MIN_STREET_END && STREET_END.test(text.slice(start, end));
  }

  private read(text: string, start: number, end: number): void {
    this.text = text;
    this.start = start;
    this.end = end;
    this.hash = hashOf(text, start, end);
    this.bits = this.lexicon.bitsOf(this.hash);
  }

  /** Hashes of all that is known of a word. */
  features(text: string, start: number, end: number): void {
    this.read(text, start, end);
    const { before, earlier, behind, found, lexicon } = this;
    readBefore(text, start, before);
    readBefore(text, before.start, earlier);
    readBehind(text, end, behind);
    if (behind.end === text.length) this.isEdge = true;
    const hashBefore = before.end > before.start ? hashOf(text, before.start, before.end) : 1;
    const hashEarlier = earlier.end > earlier.start ? hashOf(text, earlier.start, earlier.end) : 2;
    const hashBehind = behind.end > behind.start ? hashOf(text, behind.start, behind.end) : 3;
    this.bitsBefore = lexicon.bitsOf(hashBefore);
    this.bitsBehind = lexicon.bitsOf(hashBehind);
    const { hash, bits, bitsBefore, bitsBehind } = this;
    const shape = this.shape();
    const kindBefore = this.kindOf(before);
    const kindBehind = this.kindOf(behind);
    const left = before.apart;
    const right = behind.apart;
    found[0] = feature(0, 0, 0);
    found[1] = feature(1, hash, 0);
    found[2] = feature(2, hashOf(text, Math.max(start, end - 3), end), shape);
    found[3] = feature(3, hashOf(text, Math.max(start, end - 2), end), 0);
    found[4] = feature(4, hashOf(text, start, Math.min(end, start + 3)), 0);
    found[5] = feature(5, bits, shape);
    found[6] = feature(6, bits, (left << 4) | kindBefore);
    found[7] = feature(7, (bits << 6) | bitsBefore, (left << 4) | kindBefore);
    found[8] = feature(8, (bits << 6) | bitsBehind, (right << 4) | kindBehind);
    found[9] = feature(9, hashBefore, left);
    found[10] = feature(10, hashBefore, bits);
    found[11] = feature(11, hashBefore, hashEarlier);
    found[12] = feature(12, hashBehind, right);
    found[13] = feature(13, hashBehind, bits);
    found[14] = feature(14, (left << 4) | right, shape);
    found[15] = feature(15, hashEarlier, bits);
    found[16] = feature(16, (bitsBefore << 12) | (bits << 6) | bitsBehind, (left << 4) | right);
    found[17] = feature(17, (kindBefore << 4) | kindBehind, shape);
    found[18] = feature(18, (kindBefore << 8) | (left << 4) | right, bits);
  }

  private shape(): number {
    const { text, start, end } = this;
    let capitals = 0;
    for (let i = start; i < end; i++) if (isCapital(text.charCodeAt(i))) capitals++;
    if (end - start === 1) return SHAPE.initial;
    if (capitals === 1) return SHAPE.capital;
    return capitals >= end - start - 1 ? SHAPE.capitals : SHAPE.mixed;
  }

  private kindOf({ start, end }: Neighbour): number {
    if (start === end) return BESIDE.none;
    const code = this.text.charCodeAt(start);
    if (isCapital(code)) return BESIDE.capital;
    if (isDigit(code)) return BESIDE.number;
    return isLetter(code) ? BESIDE.lower : BESIDE.other;
  }
}

const feature = (kind: number, one: number, other: number): number =>
  mixed(Math.imul(one ^ Math.imul(kind + 1, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(other + 0x51ed, 0xc2b2ae35));
