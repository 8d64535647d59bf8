import { once } from "./once";

/**
 * Letters and marks that pass for ASCII ones, beyond what compatibility decomposition unfolds.
 * Chosen by look from the Cyrillic, Greek, Latin and punctuation blocks; one unit to one unit.
 */
const LOOK_ALIKES: readonly (readonly [from: string, to: string])[] = [
  ["аеорсухіјѕһԁԛԝѡ", "aeopcyxijshdqww"],
  ["АВЕЅІЈКМНОРСТУХҮԌԚԜ", "ABESIJKMHOPCTYXYGQW"],
  ["ѵѴӏӀьгпк", "vVlIbrnk"],
  ["αβγικνορτυχϲϳ", "aByiKvoptuxcj".toLowerCase()],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ", "ABEZHIKMNOPTYXCJ"],
  ["ıȷɑɡɩʟɢɪɴʀʏʙʜᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢ", "ijagilginryb" + "hacdejkmoptuvwz"],
  ["łŁøØđĐħĦŧŦƀɓɗɠƙƥƭʋƴɨʉ", "lLoOdDhHtTbbdgkptvyiu"],
  ["‐‑‒–—―−﹘", "--------"],
  ["‘’‚‛′ʼ", "''''''"],
  ["“”„‟″«»", '"""""""'],
  ["∶︓ː", ":::"],
  ["⁄∕", "//"],
  ["․‧·", "..."],
];

export const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.flatMap(([from, to]) => Array.from(from, (char, i) => [char, to.charAt(i)] as const)),
);

/** The same characters, as the inside of a character class. */
export const CONFUSABLE_CLASS = LOOK_ALIKES.map(([from]) => from).join("");

/**
 * The fold: what a reader (or a model) takes for the same text becomes the same text. Each code
 * point folds by itself, so a text may be cut anywhere between code points without changing the
 * outcome: compatibility decomposition, default-ignorables, combining and enclosing marks (keycaps) removed, decimal
 * digits of every script and look-alikes of ASCII made ASCII. Case is kept.
 */
const NON_ASCII = /[^\0-\x7f]/;
const CHANGES = new RegExp(
  `[[\\p{Changes_When_NFKC_Casefolded}\\p{Default_Ignorable_Code_Point}\\p{Mn}\\p{Me}\\p{Nd}À-ɏḀ-ỿ${CONFUSABLE_CLASS}]--[\\0-\\x7f가-힣]]`,
  "v",
);
const REMOVED = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
const DECIMAL = /^\p{Nd}$/u;

/**
 * After this many removed code points in a row a unit that matches nothing is put in their place.
 * Without it a stream would have to hold invisible text without end between two letters of a match.
 */
export const MAX_REMOVED = 64;
const BREAK = "\uffff";

function foldCodePoint(char: string): string {
  const alike = CONFUSABLES.get(char);
  if (alike !== undefined) return alike;
  const bare = char.normalize("NFKD").replace(REMOVED, "");
  if (bare.length <= 2 && DECIMAL.test(bare)) return decimal(bare);
  return CONFUSABLES.get(bare) ?? bare;
}

const ASCII = 0x80;
const CODE_POINTS = 0x110000;
const UNKNOWN = 0;
const STAYS = 1;
const CHANGED = 2;
/** What is known of each code point: Unicode's properties are dear to ask for, and texts repeat their letters. */
const kinds = once(() => new Uint8Array(CODE_POINTS).fill(STAYS, 0, ASCII));
/** Code points that change, and what they become. Some twenty thousand do. */
const becomes = new Map<number, string>();

function changes(known: Uint8Array, code: number): boolean {
  if (known[code] === UNKNOWN) known[code] = CHANGES.test(String.fromCodePoint(code)) ? CHANGED : STAYS;
  return known[code] === CHANGED;
}

/** Where the next code point stands that changes; the text's length for none. */
function nextChange(text: string, from: number): number {
  const known = kinds();
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isFirstHalf = (unit & 0xfc00) === 0xd800;
    if (!isFirstHalf && known[unit] === STAYS) continue;
    const code = isFirstHalf ? codePointIn(text, at) : unit;
    if (changes(known, code)) return at;
    if (code > 0xffff) at++;
  }
  return text.length;
}

function foldedOf(code: number): string {
  const known = becomes.get(code);
  if (known !== undefined) return known;
  const bare = foldCodePoint(String.fromCodePoint(code));
  becomes.set(code, bare);
  return bare;
}

/** As `codePointAt`, but never undefined. A surrogate alone stands for itself. */
function codePointIn(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if ((first & 0xfc00) !== 0xd800) return first;
  const second = text.charCodeAt(at + 1);
  return (second & 0xfc00) === 0xdc00 ? ((first & 0x3ff) << 10) + (second & 0x3ff) + 0x10000 : first;
}

/** Unicode's decimal digits stand in blocks of ten that start at …0 or …6. */
function decimal(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const low = code & 0xf;
  const startsAtZero = DECIMAL.test(String.fromCodePoint(code - low));
  return String((startsAtZero ? low : low - 6) % 10);
}

/** Where folded or rewritten units come from. */
export type Places = { start(index: number): number; end(index: number): number };

/** Where folded units come from: runs of one to one, and lumps (n folded units from m original ones). */
export class OffsetMap implements Places {
  private readonly folded: number[] = [0];
  private readonly original: number[] = [0];
  /** 0: one to one from here on; else the lump's original length. */
  private readonly width: number[] = [0];

  add(folded: number, original: number, width: number): void {
    const last = this.folded.length - 1;
    const at = this.folded[last] === folded ? last : last + 1;
    this.folded[at] = folded;
    this.original[at] = original;
    this.width[at] = width;
  }

  /** Where the original text of the folded unit at `index` begins. */
  start(index: number): number {
    const at = this.find(index);
    const original = this.original[at] ?? 0;
    return this.width[at] === 0 ? original + index - (this.folded[at] ?? 0) : original;
  }

  /** Where the original text of the folded unit at `index` ends. */
  end(index: number): number {
    const at = this.find(index);
    const width = this.width[at] ?? 0;
    return width === 0 ? this.start(index) + 1 : (this.original[at] ?? 0) + width;
  }

  /** What takes back all that is added from now on. Nothing may be forgotten before it is called. */
  mark(): () => void {
    const { folded, original, width } = this;
    const last = folded.length - 1;
    const latest = [folded[last] ?? 0, original[last] ?? 0, width[last] ?? 0] as const;
    return () => {
      for (const [at, list] of [folded, original, width].entries()) list.splice(last, list.length, latest[at] ?? 0);
    };
  }

  /** Forgets what lies before a folded index. */
  dropBefore(index: number): void {
    const at = this.find(index);
    for (const list of [this.folded, this.original, this.width]) list.splice(0, at);
  }

  private find(index: number): number {
    let low = 0;
    let high = this.folded.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.folded[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Folds text that comes in pieces; a piece must not end between two surrogates. */
export class Folder {
  readonly map = new OffsetMap();
  /** Units taken in and given out so far. */
  private original = 0;
  private folded = 0;
  private removed = 0;

  /** What puts it back to where it is now. */
  mark(): () => void {
    const { original, folded, removed } = this;
    const undo = this.map.mark();
    return () => {
      Object.assign(this, { original, folded, removed });
      undo();
    };
  }

  fold(piece: string): string {
    if (!NON_ASCII.test(piece)) {
      if (piece !== "") this.removed = 0;
      this.original += piece.length;
      this.folded += piece.length;
      return piece;
    }
    let out = "";
    let done = 0;
    for (let index = nextChange(piece, 0); index < piece.length; index = nextChange(piece, done)) {
      const code = codePointIn(piece, index);
      const width = code > 0xffff ? 2 : 1;
      if (index > done) this.removed = 0;
      const kept = piece.slice(done, index);
      out += kept + this.foldOne(code, width, this.original + index, this.folded + out.length + kept.length);
      done = index + width;
    }
    if (done < piece.length) this.removed = 0;
    out += piece.slice(done);
    this.original += piece.length;
    this.folded += out.length;
    return out;
  }

  private foldOne(code: number, width: number, original: number, folded: number): string {
    let bare = foldedOf(code);
    if (bare === "") {
      this.removed++;
      if (this.removed % MAX_REMOVED === 0) bare = BREAK;
    } else {
      this.removed = 0;
    }
    if (bare.length === width && width === 1) return bare;
    if (bare !== "") this.map.add(folded, original, width);
    this.map.add(folded + bare.length, original + width, 0);
    return bare;
  }
}

/** A whole text folded, with its places. */
export type Folded = { readonly text: string; readonly map: Places };

const SAME: Places = { start: (index) => index, end: (index) => index + 1 };

/** Most texts are ASCII, which folds to itself: for those nothing is made. */
export function fold(text: string): Folded {
  if (!NON_ASCII.test(text)) return { text, map: SAME };
  const folder = new Folder();
  return { text: folder.fold(text), map: folder.map };
}
