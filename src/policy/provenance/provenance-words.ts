import { fold } from "#scan/fold/normalize";

/** Units after which a text is cut where it can be: some tenths of a millisecond of folding. */
const BLOCK_UNITS = 8_192;

/**
 * A text in blocks that can be folded and unescaped one by one, with the same outcome as in one piece: cut only after
 * white space or an ideograph, which no escape, no run of removed marks and no word goes across. What has neither stays
 * in one piece.
 */
export function* blocksOf(text: string, units = BLOCK_UNITS): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = Math.min(from + units, text.length);
    while (to < text.length && !isBoundary(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** ASCII space and line feed, unified ideographs, Hangul syllables: the fold leaves them as they are. */
const isBoundary = (code: number): boolean =>
  code === 0x20 || code === 0x0a || (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);

/**
 * Text as far as rewriting leaves it alone: folded, in lower case, letters and digits only. Beside each unit stands
 * whether a word begins or ends there, so that `a@b.example` is not found inside `mia@b.example`. Spaces, dashes and
 * dots count for nothing: a grouped account number is the same as one without gaps.
 */
const STARTS = 1;
const ENDS = 2;
/** Between two texts, so that nothing is found across them. No letter. */
const WALL = 0xffff;
/** Shorter values say too little. In units of letters and digits. */
export const MIN_VALUE_LENGTH = 4;
const SLOTS = 1 << 12;
/** Units of folded text taken in between two looks at the clock. */
const FILL_UNITS = 16_384;
/** Null to go on; otherwise what to wait for first. */
export type MayPause = () => Promise<void> | null;

/** Lower-case units of ASCII letters and digits; 0 for all others. */
const ASCII = Uint16Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(char) ? char.charCodeAt(0) : 0;
});
const ESCAPED_BLANKS = new Set([..."nrtbf"].map((char) => char.charCodeAt(0)));
const BACKSLASH = 0x5c;

/** Scripts without spaces stand right beside an address, so a unit beyond ASCII is a word of its own. */
const wideUnit = (code: number): number => {
  const isPunctuation = code < 0xc0 || (code >= 0x2000 && code < 0x2070) || (code >= 0x3000 && code < 0x3040);
  if (isPunctuation || code >= 0xfff0) return 0;
  const lower = String.fromCharCode(code).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : code;
};

const unitOf = (code: number): number => (code < 128 ? (ASCII[code] ?? 0) : wideUnit(code));

/** Whether an ASCII letter or digit stands there; nothing stands outside the text. */
const isWord = (text: string, at: number): boolean => (ASCII[text.charCodeAt(at)] ?? 0) !== 0;

/** A letter that may belong to an escape (`\n`), or to a path (`C:\new`): both readings hold. */
const isEscape = (text: string, at: number): boolean =>
  text.charCodeAt(at - 1) === BACKSLASH && ESCAPED_BLANKS.has(text.charCodeAt(at));

const charOf = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : " ");

/** Undoes what JSON, URLs and HTML put around single characters: `mia\u0040…`, `mia%40…`, `mia&#64;…`. */
const unescaped = (text: string): string => {
  let out = text;
  if (out.includes("\\u"))
    out = out.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => charOf(Number.parseInt(hex, 16)));
  if (out.includes("%")) out = out.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => charOf(Number.parseInt(hex, 16)));
  if (!out.includes("&#")) return out;
  return out.replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex: string | undefined, digits: string) =>
    charOf(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
  );
};

/** The letters and digits of a value, as they are looked for. */
export const wordsOf = (value: string): string => {
  const text = unescaped(fold(value).text);
  let out = "";
  for (let at = 0; at < text.length; at += 1) {
    const unit = unitOf(text.charCodeAt(at));
    if (unit !== 0) out += String.fromCharCode(unit);
  }
  return out;
};

/** How much looking is left. Text in which everything begins alike must not cost without end. */
export type Effort = { left: number };

/** Texts in the order they came, and in which turn of the conversation a value is first seen in them. */
export class WordIndex {
  private units = new Uint16Array(0);
  private marks = new Uint8Array(0);
  /** The next place whose first units have the same hash. */
  private next = new Int32Array(0);
  private heads = new Int32Array(0);
  private tails = new Int32Array(0);
  private readonly begins: number[] = [];
  private readonly turns: number[] = [];
  private used = 0;
  /** Up to where places of the text that is taken in are chained. */
  private linked = 0;

  /** `most`: units kept of all texts together. */
  constructor(private readonly most: number) {}

  get isEmpty(): boolean {
    return this.used === 0;
  }

  /** False when not all of the text could be taken in. */
  add(text: string, turn: number): boolean {
    const taken = this.begin(text, turn);
    const words = unescaped(fold(taken).text);
    this.grow(this.used + words.length + 1);
    this.fill(words, 0, words.length);
    this.end();
    return taken.length === text.length;
  }

  /** As `add`, in slices. Nothing else may be added before it resolves; what is looked for meanwhile may be missed. */
  async addInSlices(text: string, turn: number, pause: MayPause): Promise<boolean> {
    const taken = this.begin(text, turn);
    // Folded text is seldom longer than what it was made of.
    this.grow(this.used + taken.length + 1);
    for (const block of blocksOf(taken)) {
      const words = unescaped(fold(block).text);
      this.grow(this.used + words.length + 1);
      for (let from = 0; from < words.length; from += FILL_UNITS) {
        this.fill(words, from, Math.min(from + FILL_UNITS, words.length));
        this.link();
        const wait = pause();
        if (wait) await wait;
      }
    }
    this.end();
    return taken.length === text.length;
  }

  /** The turn a value, given as `wordsOf` it, is first seen in; -1 for none. Null when the effort is used up. */
  first(value: string, effort: Effort): number | null {
    if (value.length < MIN_VALUE_LENGTH) return -1;
    const { units, marks, next } = this;
    const last = value.length - 1;
    let place = this.heads[hashOf(value.charCodeAt(0), value.charCodeAt(1), value.charCodeAt(2), value.charCodeAt(3))];
    for (; place !== undefined && place >= 0; place = next[place]) {
      effort.left -= 1;
      if (effort.left < 0) return null;
      if (((marks[place + last] ?? 0) & ENDS) === 0) continue;
      let same = 0;
      while (same <= last && units[place + same] === value.charCodeAt(same)) same += 1;
      effort.left -= same >> 4;
      if (same > last) return this.turnAt(place);
    }
    return -1;
  }

  /** The part of a text that fits; the next fill reads from it. */
  private begin(text: string, turn: number): string {
    const room = this.most - this.used;
    this.begins.push(this.used);
    this.turns.push(turn);
    this.linked = this.used;
    return text.length > room ? text.slice(0, room) : text;
  }

  private end(): void {
    this.link();
    this.units[this.used] = WALL;
    this.used += 1;
  }

  private fill(text: string, from: number, to: number): void {
    const { units, marks } = this;
    let used = this.used;
    let wasWord = from > 0 && isWord(text, from - 1);
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      const unit = unitOf(code);
      const inWord = code < 128 && unit !== 0;
      if (inWord) {
        const starts = !wasWord || isEscape(text, at - 1);
        marks[used] = (starts ? STARTS : 0) | (isWord(text, at + 1) ? 0 : ENDS);
      } else marks[used] = STARTS | ENDS;
      wasWord = inWord;
      if (unit !== 0) units[used++] = unit;
    }
    this.used = used;
  }

  /** Chains the places where a word begins by the hash of the units there, in text order. */
  private link(): void {
    const { units, marks, next, heads, tails } = this;
    let at = this.linked;
    for (; at + MIN_VALUE_LENGTH <= this.used; at += 1) {
      if (((marks[at] ?? 0) & STARTS) === 0) continue;
      const slot = hashOf(units[at] ?? 0, units[at + 1] ?? 0, units[at + 2] ?? 0, units[at + 3] ?? 0);
      const tail = tails[slot] ?? -1;
      if (tail < 0) heads[slot] = at;
      else next[tail] = at;
      next[at] = -1;
      tails[slot] = at;
    }
    this.linked = at;
  }

  private turnAt(place: number): number {
    let low = 0;
    let high = this.begins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.begins[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return this.turns[low] ?? -1;
  }

  private grow(needed: number): void {
    if (needed <= this.units.length) return;
    if (this.used === 0) [this.heads, this.tails] = [new Int32Array(SLOTS).fill(-1), new Int32Array(SLOTS).fill(-1)];
    const length = Math.max(needed, this.units.length * 2, 1024);
    const [units, marks, next] = [new Uint16Array(length), new Uint8Array(length), new Int32Array(length)];
    units.set(this.units.subarray(0, this.used));
    marks.set(this.marks.subarray(0, this.used));
    next.set(this.next.subarray(0, this.used));
    [this.units, this.marks, this.next] = [units, marks, next];
  }
}

const hashOf = (a: number, b: number, c: number, d: number): number =>
  (Math.imul(a * 0x1f1f + b * 0x3b9 + c * 0x1d + d, 0x9e3779b1) >>> 20) & (SLOTS - 1);
