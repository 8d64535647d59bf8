import { charSet, inSet } from "#scan/char-set";
import { FEATURES, SEEN_BEFORE, Surroundings } from "./features";
import { Lexicon, type LexiconData } from "./lexicon";
import { endOfWord, FIRST_NAME, hashOf, isCapital, isDigit, isLetter, LAST_NAME, STREET } from "./words";

/** What a word is part of. */
export const LABELS = ["none", "name", "place", "address"] as const;
export const NONE = 0;
export const NAME = 1;
export const IN_PLACE = 2;
export const IN_ADDRESS = 3;
const CLASSES = LABELS.length;

/** A linear model over the features of a word, for each label. */
export type TaggerModel = {
  readonly lexicon: LexiconData;
  /** 2^bits cells of four weights, one for each label: int8 in base64. */
  readonly bits: number;
  readonly weights: string;
  readonly scale: number;
  /** By label: how far it is ahead of `none` becomes a score by 1 / (1 + e^-(slope · margin + offset)). */
  readonly calibration: readonly { readonly slope: number; readonly offset: number }[];
};

/** A name, a place or an address. */
export type Tagged = { readonly label: number; readonly start: number; readonly end: number; readonly score: number };

/** Units from its first capital on that one may have. */
const MAX_LENGTH = 120;
const MAX_WORDS = 6;
const MAX_PARTS = 12;
/** Units before the first capital that an address may begin at. */
const MAX_LEAD = 48;
const MAX_LEAD_WORDS = 5;
const MAX_NUMBER = 6;
/** A number, a word such as `rue`, and a name behind it are an address, whatever the words around it. */
const LED_SCORE = 0.8;

/** Units before the place it is asked about that the tagger reads, and from there on. */
export const BEHIND = Math.max(MAX_LEAD + 1, SEEN_BEFORE);
export const REACH = MAX_LENGTH + 2 * 32;

const SPACE = 0x20;
const DOT = 0x2e;
const COMMA = 0x2c;
const LINE = 0x0a;
const COLON = 0x3a;
const DASH = 0x2d;
const LESS = 0x3c;
const SLASH = 0x2f;
const UNDERLINE = 0x5f;

const CONNECTORS = new Set(
  (
    "van der den de la las los le les del della di da dos das do du des von zu zur zum am an im ter ten " +
    "bin ibn al el of the upon sur sous aan op bei of'"
  ).split(" "),
);

/** Before a capital these make it part of a longer word, a path, an address or a program's name. */
const NOT_BEFORE = charSet("A-Za-z0-9_@#$/\\.&%+~'-");
/** The same behind a word. */
const NOT_BEHIND = charSet("0-9_(={[/\\@$#%&|+");

/** Finds names, places and addresses at the capitals of a folded text. Reads a bounded part of the text around each. */
export class Tagger {
  private readonly weights: Int32Array;
  private readonly shift: number;
  readonly lexicon: Lexicon;
  readonly around: Surroundings;
  private readonly sums = new Int32Array(CLASSES);

  constructor(private readonly model: TaggerModel) {
    this.weights = new Int32Array(Uint8Array.fromBase64(model.weights).buffer);
    this.shift = 32 - model.bits;
    this.lexicon = new Lexicon(model.lexicon);
    this.around = new Surroundings(this.lexicon);
  }

  /** Whether the last answer depends on what comes behind the text's end. */
  get isEdge(): boolean {
    return this.around.isEdge;
  }

  /** What begins at the capital at `at`, or where it is the first capital of an address. */
  read(text: string, at: number): Tagged | null {
    const { around } = this;
    around.isEdge = false;
    const end = this.candidateAt(text, at);
    if (end < 0) return null;
    const label = this.labelOf(text, at, end);
    if (label === NONE) return null;
    const lead = this.leadOf(text, at);
    // `7 avenue Victor Hugo`: streets are called after people and places.
    const isLed = lead < at && isDigit(text.charCodeAt(lead)) && this.hasStreetBetween(text, lead, at);
    if (label !== IN_ADDRESS && !isLed) return this.name(text, at, end, label);
    return this.address(text, { start: lead, at, end }, isLed);
  }

  /** The end of the word at `at`, if it is worth judging; else -1. */
  candidateAt(text: string, at: number): number {
    const { around } = this;
    if (at > 0 && !mayFollow(text.charCodeAt(at - 1))) return -1;
    const end = endOfWord(text, at);
    if (end < 0) return -1;
    if (end === text.length) around.isEdge = true;
    if (this.isCode(text, end)) return -1;
    return around.isCandidate(text, at, end) ? end : -1;
  }

  /** Whether what stands behind a word makes it part of a program, a path or an address of mail. */
  private isCode(text: string, end: number): boolean {
    const code = text.charCodeAt(end);
    if (inSet(NOT_BEHIND, code)) return true;
    if (code !== DOT && code !== COLON && code !== DASH && code !== LESS) return false;
    if (end + 1 >= text.length) this.around.isEdge = true;
    const next = text.charCodeAt(end + 1);
    if (code === LESS) return next !== SLASH;
    return isLetter(next) || isDigit(next) || next === COLON || next === SLASH || next === UNDERLINE;
  }

  /** The best label, and in `margin` how far it is ahead of none. */
  private labelOf(text: string, start: number, end: number): number {
    const { around, sums, weights, shift } = this;
    around.features(text, start, end);
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < FEATURES; i++) {
      const cell = weights[(around.found[i] ?? 0) >>> shift] ?? 0;
      a += (cell << 24) >> 24;
      b += (cell << 16) >> 24;
      c += (cell << 8) >> 24;
      d += cell >> 24;
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
    let best = NONE;
    for (let label = 1; label < CLASSES; label++) if ((sums[label] ?? 0) > (sums[best] ?? 0)) best = label;
    return best;
  }

  private margin(label: number): number {
    return ((this.sums[label] ?? 0) - (this.sums[NONE] ?? 0)) * this.model.scale;
  }

  private scoreOf(label: number, margin: number): number {
    const { slope, offset } = this.model.calibration[label] ?? { slope: 1, offset: 0 };
    return 1 / (1 + Math.exp(-(slope * margin + offset)));
  }

  /** Words of one label in a row. */
  private name(text: string, start: number, first: number, label: number): Tagged {
    let end = first;
    let sum = this.margin(label);
    let count = 1;
    for (let at = this.nextInRow(text, end); at >= 0 && count < MAX_WORDS; at = this.nextInRow(text, end)) {
      const next = endOfWord(text, at);
      if (next < 0 || next - start > MAX_LENGTH) break;
      if (next === text.length) this.around.isEdge = true;
      if (this.isCode(text, next)) break;
      const isSame = this.labelOf(text, at, next) === label;
      // `van der Berg`: behind small words an ordinary word may be a surname.
      const isSurname = label === NAME && at > end + 2 && (this.around.wordBits & (FIRST_NAME | LAST_NAME)) !== 0;
      if (!isSame && !isSurname) break;
      if (isSame) {
        sum += this.margin(label);
        count++;
      }
      end = next;
    }
    const score = this.scoreOf(label, sum / count);
    return { label, start, end: label === IN_PLACE ? this.withPostcode(text, end) : end, score };
  }

  /** Behind `Springfield 62704`; five digits, since four are a year. */
  private withPostcode(text: string, end: number): number {
    if (end + 7 > text.length) this.around.isEdge = true;
    if (text.charCodeAt(end) !== SPACE) return end;
    for (let i = 1; i < 6; i++) if (!isDigit(text.charCodeAt(end + i))) return end;
    const behind = text.charCodeAt(end + 6);
    return isDigit(behind) || isLetter(behind) || inSet(NOT_BEHIND, behind) ? end : end + 6;
  }

  /** The next capital of a row of words behind `end`, two small words such as `van der` between; -1 for none. */
  private nextInRow(text: string, end: number): number {
    let at = end;
    if (text.charCodeAt(at) === DOT && isInitial(text, end)) at++;
    for (let small = 0; ; small++) {
      if (at >= text.length - 1) this.around.isEdge = true;
      if (text.charCodeAt(at) !== SPACE) return -1;
      at++;
      const code = text.charCodeAt(at);
      if (isCapital(code)) return at;
      if (small === 2 || !isLetter(code)) return -1;
      const stop = endOfWord(text, at);
      if (stop < 0) return -1;
      if (stop === text.length) this.around.isEdge = true;
      if (stop - at > 5 || !CONNECTORS.has(text.slice(at, stop))) return -1;
      at = stop;
    }
  }

  /** Numbers, words that are part of an address, and signs between them. `isLed`: by a number and a word such as `rue`. */
  private address(text: string, first: { start: number; at: number; end: number }, isLed: boolean): Tagged | null {
    const { start, at } = first;
    let { end } = first;
    let sum = this.margin(IN_ADDRESS);
    let words = 1;
    let hasNumber = start < at && isDigit(text.charCodeAt(start));
    let pos = end;
    for (let part = 0; part < MAX_PARTS; part++) {
      pos = this.nextPart(text, pos);
      if (pos < 0 || pos - at > MAX_LENGTH) break;
      const code = text.charCodeAt(pos);
      const stop = isDigit(code) ? this.endOfNumber(text, pos) : this.endOfPart(text, pos);
      if (stop < 0) break;
      if (isDigit(code)) hasNumber = true;
      else if (isCapital(code)) {
        const label = this.labelOf(text, pos, stop);
        const isShort = stop - pos <= 3 && stop - pos > 1 && isCapital(text.charCodeAt(stop - 1));
        if (label === NONE && !isShort) break;
        if (label === NAME && !(isLed && pos === end + 1)) break;
        if (label === IN_ADDRESS) {
          sum += this.margin(IN_ADDRESS);
          words++;
        }
      } else if (!this.mayLead(text, pos, stop)) break;
      if (isDigit(code) || isCapital(code)) end = stop;
      pos = stop;
    }
    const score = this.scoreOf(IN_ADDRESS, sum / words);
    if (isLed) return { label: IN_ADDRESS, start, end, score: Math.max(score, LED_SCORE) };
    // One word beside a number may be anything: `2 Bulldogs`.
    const isBetween = hasNumber && isDigit(text.charCodeAt(start)) && isDigit(text.charCodeAt(end - 1));
    const isStreet = hasNumber && this.around.isStreet(text, at, first.end);
    if (words < 2 && !isBetween && !isStreet) return null;
    return { label: hasNumber ? IN_ADDRESS : IN_PLACE, start, end, score };
  }

  /** The end of a word within an address; -1 where it is none. */
  private endOfPart(text: string, start: number): number {
    const stop = endOfWord(text, start);
    if (stop === text.length) this.around.isEdge = true;
    return stop < 0 || (isCapital(text.charCodeAt(start)) && this.isCode(text, stop)) ? -1 : stop;
  }

  /** Behind what parts the parts of an address: blanks, a comma, a line's end, a dot of an abbreviation. -1: it ends. */
  private nextPart(text: string, end: number): number {
    let at = end;
    for (let signs = 0; ; signs++, at++) {
      if (at >= text.length) {
        this.around.isEdge = true;
        return -1;
      }
      const code = text.charCodeAt(at);
      if (isLetter(code) || isDigit(code)) return signs === 0 ? -1 : at;
      const dot = code === DOT && signs === 0 && isAbbreviation(text, end);
      if (signs === 4 || !(dot || code === SPACE || code === COMMA || code === LINE || code === 0x23)) return -1;
    }
  }

  /** `12`, `12a`, `04763`, `1234-567`. -1 where it is none of an address. */
  private endOfNumber(text: string, start: number): number {
    let at = start;
    while (at - start <= MAX_NUMBER && isDigit(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === 0x2d && isDigit(text.charCodeAt(at + 1))) {
      at++;
      for (let i = 0; i < 4 && isDigit(text.charCodeAt(at)); i++) at++;
    }
    if (at + 1 >= text.length) this.around.isEdge = true;
    const code = text.charCodeAt(at);
    if (isLetter(code) && !isLetter(text.charCodeAt(at + 1)) && !isDigit(text.charCodeAt(at + 1))) at++;
    if (at + 1 >= text.length) this.around.isEdge = true;
    const behind = text.charCodeAt(at);
    const isOther = isDigit(behind) || isLetter(behind) || inSet(NOT_BEHIND, behind) || behind === 0x3a;
    const isFraction = (behind === DOT || behind === COMMA) && isDigit(text.charCodeAt(at + 1));
    return isOther || isFraction ? -1 : at;
  }

  /**
   * Where an address begins whose first capital is at `at`: at a number or a word such as `rue`, right before it. Behind
   * the text's end the blank before that capital may still come.
   */
  leadOf(text: string, at: number): number {
    const least = Math.max(0, at - MAX_LEAD);
    let lead = at;
    let pos = at;
    for (let words = 0; words < MAX_LEAD_WORDS; words++) {
      let stop = pos;
      if (stop > least && text.charCodeAt(stop - 1) === SPACE) stop--;
      else if (stop < text.length) break;
      const hasComma = stop > least && text.charCodeAt(stop - 1) === COMMA;
      // `1, 12` is a list.
      if (hasComma && isDigit(text.charCodeAt(pos))) break;
      if (hasComma || (stop > least && text.charCodeAt(stop - 1) === DOT)) stop--;
      let start = stop;
      while (start > least && isPart(text.charCodeAt(start - 1))) start--;
      if (start === stop || (start > 0 && !mayFollow(text.charCodeAt(start - 1)))) break;
      const code = text.charCodeAt(start);
      if (isDigit(code)) {
        // `In 1999, John …` is a year.
        if (stop - start > (hasComma ? 3 : MAX_NUMBER)) break;
        lead = start;
        pos = start;
        continue;
      }
      if (!this.mayLead(text, start, stop)) break;
      if ((this.lexicon.bitsOf(hashOf(text, start, stop)) & STREET) !== 0) lead = start;
      pos = start;
    }
    return lead;
  }

  /** Whether a word such as `rue` stands between. */
  private hasStreetBetween(text: string, start: number, at: number): boolean {
    return text
      .slice(start, at)
      .split(/[ ,.]+/)
      .some((word) => word !== "" && (this.lexicon.bitsOf(hashOf(word, 0, word.length)) & STREET) !== 0);
  }

  private mayLead(text: string, start: number, stop: number): boolean {
    if ((this.lexicon.bitsOf(hashOf(text, start, stop)) & STREET) !== 0) return true;
    return stop - start <= 5 && CONNECTORS.has(text.slice(start, stop));
  }
}

const isPart = (code: number): boolean => isLetter(code) || isDigit(code);

/** Whether a word may begin behind this unit. */
const mayFollow = (code: number): boolean => (code < 0x80 ? !inSet(NOT_BEFORE, code) : !isLetter(code));

/** Whether the word that ends at `end` is one or two letters: `J.`, `St.`, `Jr.`. */
const isInitial = (text: string, end: number): boolean =>
  !isLetter(text.charCodeAt(end - 2)) || !isLetter(text.charCodeAt(end - 3));

/** Whether it is short enough for an abbreviation: `Apt.`, `Str.`. */
function isAbbreviation(text: string, end: number): boolean {
  let start = end;
  while (start > end - 5 && isLetter(text.charCodeAt(start - 1))) start--;
  return end - start < 5 && end > start;
}
