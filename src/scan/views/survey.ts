import { mayBeDisguised } from "./words";

export type TextRun = { readonly start: number; readonly end: number };

/** Where a text may hold something disguised, by the shapes of its tokens alone. */
type Runs = {
  /** Long runs of base64's alphabet, which is hexadecimal's too. */
  readonly encoded: TextRun[];
  /** Runs of two hexadecimal digits each, parted by one unit. */
  readonly pairs: TextRun[];
  /** Single letters in a row. */
  readonly spaced: TextRun[];
  /** Short tokens of letters and digits. */
  readonly mixed: TextRun[];
  /** Groups of digits parted by dots or underscores, an IBAN's or a plus sign's first. */
  readonly groups: TextRun[];
  /** Words whose first and last letter and length are those of a disguised one. */
  readonly words: TextRun[];
};

/** All that one pass over a text tells of it. */
export type Survey = Runs & {
  /** Whether units stand in it that escapes begin with, or that markup is made of. */
  readonly escapes: boolean;
  readonly markup: boolean;
};

const NO_RUNS: Runs = { encoded: [], pairs: [], spaced: [], mixed: [], groups: [], words: [] };

const LETTER = 1;
const DIGIT = 2;
const MARK = 4;
const TOKEN = LETTER | DIGIT | MARK;
const MIXED = LETTER | DIGIT;
const ESCAPE = 8;
const MARKUP = 16;
const CLASSES = new Uint8Array(65_536);
for (const letter of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") CLASSES[letter.charCodeAt(0)] = LETTER;
for (const digit of "0123456789") CLASSES[digit.charCodeAt(0)] = DIGIT;
for (const mark of "+/_-") CLASSES[mark.charCodeAt(0)] = MARK;
for (const mark of "%&") CLASSES[mark.charCodeAt(0)] = ESCAPE;
for (const mark of "*~`<") CLASSES[mark.charCodeAt(0)] = MARKUP;
CLASSES["\\".charCodeAt(0)] = ESCAPE | MARKUP;

const DOT = 0x2e;
export const MIN_ENCODED = 16;
const MIN_SPACED = 5;
/** Units between two letters of a spaced text: a separator, or one on either side of a word's gap. */
const MAX_GAP = 3;
export const MIN_PAIRS = 8;
export const MIN_GROUPED = 8;
const DASHED = /^[A-Za-z]([+/_-])[A-Za-z](?:\1{1,3}[A-Za-z])*$/;
/** Numbers and IBANs; dashes and spaces between groups are what their detectors read. */
export const GROUPED = /^\+?(?:[A-Z]{2}\d{2}[A-Z0-9]{0,10}|\d{1,6})(?:_\d{1,6}){1,8}$/;
export const GROUP_HEAD = /^(?:[A-Z]{2}\d{2}[A-Z0-9]{0,10}|\+\d{1,6})$/;

/** A chain of like tokens that follow one another closely. */
class Chain {
  private start = 0;
  private end = -9;
  private count = 0;

  constructor(
    private readonly least: number,
    private readonly into: TextRun[],
  ) {}

  add(start: number, end: number, weight: number, gap: number): void {
    if (start - this.end > gap) {
      this.close();
      this.start = start;
    }
    this.count += weight;
    this.end = end;
  }

  close(): void {
    if (this.count >= this.least) this.into.push({ start: this.start, end: this.end });
    this.count = 0;
    this.end = -9;
  }
}

/** Null for a text that nothing can be disguised in: so it is with most. */
export function survey(text: string): Survey | null {
  if (!isWorthIt(text)) return null;
  const tokens = new Tokens(text);
  let marks = 0;
  let start = -1;
  let mask = 0;
  for (let i = 0; i <= text.length; i++) {
    const kind = classAt(text, i);
    if ((kind & TOKEN) !== 0) {
      if (start < 0) start = i;
      mask |= kind;
      continue;
    }
    marks |= kind;
    if (start < 0) continue;
    if (isOdd(text, start, i, mask)) tokens.add(start, i, mask);
    start = -1;
    mask = 0;
  }
  const runs = tokens.close();
  if (runs === NO_RUNS && marks === 0) return null;
  return { ...runs, escapes: (marks & ESCAPE) !== 0, markup: (marks & MARKUP) !== 0 };
}

/** Whether a text is plain words: nothing can be decoded in any part of it, and nothing is spelled otherwise. */
export const isPlainWords = (text: string): boolean => !isWorthIt(text, 0);

/**
 * Whether a text is worth a survey; no lists are made for the many that are not. Ends at the first unit or token that
 * may be more than a plain word, or at as many short words in a row as can say something.
 */
function isWorthIt(text: string, mostMixed = 1): boolean {
  const short = new ShortTokens();
  let mixed = 0;
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let mask = 0;
    let kind = classAt(text, at);
    for (; (kind & TOKEN) !== 0; kind = classAt(text, ++at)) mask |= kind;
    if (kind !== 0) return true;
    if (mask === MIXED && isPlainlyMixed(text, start, at)) {
      mixed += 1;
      if (mixed > mostMixed) return true;
    } else if (mask !== 0 && isTelling(text, start, at, mask, short)) return true;
  }
  return false;
}

/** Whether a token of letters and digits says something only beside another: no encoding, no pair of digits, no group's head. */
const isPlainlyMixed = (text: string, start: number, end: number): boolean =>
  end - start > 2 && end - start < MIN_ENCODED && text.charCodeAt(end) !== DOT;

function isTelling(text: string, start: number, end: number, mask: number, short: ShortTokens): boolean {
  if ((mask & DIGIT) !== 0) return true;
  const size = end - start;
  if (size < 3) return size === 2 ? short.hasPairs(start, end) : mask === LETTER && short.hasSingles(start, end);
  return size >= MIN_ENCODED || (mask === LETTER ? mayBeDisguised(text, start, end) : mayBeDashed(text, start, mask));
}

/** How many tokens of one unit, and of two, follow one another closely. */
class ShortTokens {
  private singles = 0;
  private singlesEnd = -9;
  private pairs = 0;
  private pairsEnd = -9;

  hasSingles(start: number, end: number): boolean {
    this.singles = start - this.singlesEnd > MAX_GAP ? 1 : this.singles + 1;
    this.singlesEnd = end;
    return this.singles >= MIN_SPACED;
  }

  hasPairs(start: number, end: number): boolean {
    this.pairs = start - this.pairsEnd > 1 ? 1 : this.pairs + 1;
    this.pairsEnd = end;
    return this.pairs >= MIN_PAIRS;
  }
}

const mayBeDashed = (text: string, start: number, mask: number): boolean =>
  mask === (LETTER | MARK) && CLASSES[text.charCodeAt(start + 1)] === MARK;

/** None behind the end. */
const classAt = (text: string, i: number): number => (i < text.length ? (CLASSES[text.charCodeAt(i)] ?? 0) : 0);

/** Most words are not: too short or too plain to be anything. */
const isOdd = (text: string, start: number, end: number, mask: number): boolean =>
  mask !== LETTER || end - start < 3 || mayBeDisguised(text, start, end) || end - start >= MIN_ENCODED;

/** Sorts tokens by what they are made of. */
class Tokens {
  private readonly found: Runs = { encoded: [], pairs: [], spaced: [], mixed: [], groups: [], words: [] };
  private readonly singles: Chain;
  private readonly pairs: Chain;
  private readonly digits: Chain;

  constructor(private readonly text: string) {
    const { spaced, pairs, groups } = this.found;
    this.singles = new Chain(MIN_SPACED, spaced);
    this.pairs = new Chain(MIN_PAIRS, pairs);
    this.digits = new Chain(MIN_GROUPED, groups);
  }

  add(start: number, end: number, mask: number): void {
    const length = end - start;
    if (mask === LETTER) this.letters(start, end, length);
    else if (mask === DIGIT) this.number(start, end, length);
    else if (mask & MARK) this.marked(start, end, length, mask);
    else if (length > 1 && length < 17) this.found.mixed.push({ start, end });
    if (mask !== LETTER && mask !== DIGIT && length < 15) this.groupHead(start, end, length);
    if (length === 2) this.pairs.add(start, end, 1, 1);
    else if (length >= MIN_ENCODED) this.found.encoded.push({ start, end });
  }

  close(): Runs {
    this.singles.close();
    this.pairs.close();
    this.digits.close();
    const { encoded, pairs, spaced, mixed, groups, words } = this.found;
    const count = encoded.length + pairs.length + spaced.length + mixed.length + groups.length + words.length;
    return count === 0 ? NO_RUNS : this.found;
  }

  private letters(start: number, end: number, length: number): void {
    if (length === 1) this.singles.add(start, end, 1, MAX_GAP);
    else if (length > 4 && length < 15) this.found.words.push({ start, end });
  }

  private number(start: number, end: number, length: number): void {
    if (this.text.charCodeAt(start - 1) !== DOT) this.digits.close();
    if (length < 7) this.digits.add(start, end, length, 1);
  }

  private groupHead(start: number, end: number, length: number): void {
    if (this.text.charCodeAt(end) !== DOT || !GROUP_HEAD.test(this.text.slice(start, end))) return;
    this.digits.close();
    this.digits.add(start, end, length, 1);
  }

  private marked(start: number, end: number, length: number, mask: number): void {
    if (length < 3 || length > 255) return;
    const { text, found } = this;
    if (mask === (LETTER | MARK)) {
      if (CLASSES[text.charCodeAt(start + 1)] !== MARK) return;
      if (DASHED.test(text.slice(start, end))) found.spaced.push({ start, end });
    } else if (length > 7 && GROUPED.test(text.slice(start, end))) {
      found.groups.push({ start, end });
    }
  }
}
