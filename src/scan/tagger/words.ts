/** What the lexicon knows of a word, as bits. */
export const FIRST_NAME = 1;
export const LAST_NAME = 2;
export const PLACE = 4;
/** An ordinary word of some language. */
export const COMMON = 8;
/** Introduces a name, a place or an address: `Mr`, `Frau`, `lives`. */
export const CUE = 16;
/** `Street`, `rue`, `Straße`. */
export const STREET = 32;

/** Units of a word, and of what parts two words, that are looked at. */
export const MAX_WORD = 24;
const MAX_APART = 4;

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

export const isCapital = (code: number): boolean => code > 0x40 && code < 0x5b;
export const isDigit = (code: number): boolean => code > 0x2f && code < 0x3a;

export function isLetter(code: number): boolean {
  if (code < 0x80) return (code | 0x20) > 0x60 && (code | 0x20) < 0x7b;
  if (code < 0x2000) return code > 0xbf && code !== 0xd7 && code !== 0xf7;
  return code > 0x2bff && code < 0xd800 && !(code > 0x2fff && code < 0x3040);
}

const isWord = (code: number): boolean => isLetter(code) || isDigit(code);

/** Case makes no difference to it, within ASCII. */
export function hashOf(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (isCapital(code) ? code | 0x20 : code), PRIME);
  }
  return mixed(hash);
}

export function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const whole = Math.imul(half ^ (half >>> 13), 0x297a2d39);
  return whole ^ (whole >>> 16);
}

/**
 * Where the word that begins at `start` ends, an apostrophe or a dash between two letters being part of it; -1 where it
 * is too long to be one. Where that depends on what comes behind the text's end, the text's length.
 */
export function endOfWord(text: string, start: number): number {
  for (let at = start + 1; at <= start + MAX_WORD; ) {
    const code = text.charCodeAt(at);
    if (isLetter(code)) at++;
    else if (code !== 0x27 && code !== 0x2d) return at;
    else if (!isLetter(text.charCodeAt(at + 1))) return at + 1 >= text.length ? text.length : at;
    else if (at + 2 >= text.length) return text.length;
    else if (isPossessive(text, at)) return at;
    else at += 2;
  }
  return -1;
}

/** `'s` at a word's end is not part of it. */
const isPossessive = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 0x27 && (text.charCodeAt(at + 1) | 0x20) === 0x73 && !isLetter(text.charCodeAt(at + 2));

/** What parts two words: the most telling of the signs between them. Later ones tell more. */
export const APART = {
  nothing: 0,
  blank: 1,
  other: 2,
  dash: 3,
  quote: 4,
  bracket: 5,
  comma: 6,
  colon: 7,
  stop: 8,
  line: 9,
  edge: 10,
} as const;

const KIND_OF_SIGN: Readonly<Record<string, number>> = {
  " ": APART.blank,
  "\t": APART.blank,
  "-": APART.dash,
  '"': APART.quote,
  "'": APART.quote,
  "(": APART.bracket,
  ")": APART.bracket,
  "[": APART.bracket,
  "]": APART.bracket,
  ">": APART.bracket,
  "<": APART.bracket,
  ",": APART.comma,
  ":": APART.colon,
  "=": APART.colon,
  ".": APART.stop,
  "!": APART.stop,
  "?": APART.stop,
  ";": APART.stop,
  "\n": APART.line,
};
const SIGNS = Uint8Array.from({ length: 128 }, (_, code) => KIND_OF_SIGN[String.fromCharCode(code)] ?? APART.other);

/** A word beside another one, and what stands between. */
export type Neighbour = { apart: number; start: number; end: number };

/** The word before `at`; `start` and `end` are equal where there is none. */
export function readBefore(text: string, at: number, into: Neighbour): void {
  let apart: number = APART.nothing;
  let end = at;
  const least = Math.max(0, at - MAX_APART);
  while (end > least) {
    const code = text.charCodeAt(end - 1);
    if (isWord(code)) break;
    apart = Math.max(apart, (code < 0x80 ? SIGNS[code] : undefined) ?? APART.other);
    end--;
  }
  let start = end;
  const first = Math.max(0, end - MAX_WORD);
  while (start > first && isWord(text.charCodeAt(start - 1))) start--;
  into.apart = end === 0 ? APART.edge : apart;
  into.start = start;
  into.end = end;
}

/** The word behind `at`. */
export function readBehind(text: string, at: number, into: Neighbour): void {
  let apart: number = APART.nothing;
  let start = at;
  const most = Math.min(text.length, at + MAX_APART);
  while (start < most) {
    const code = text.charCodeAt(start);
    if (isWord(code)) break;
    apart = Math.max(apart, (code < 0x80 ? SIGNS[code] : undefined) ?? APART.other);
    start++;
  }
  let end = start;
  const last = Math.min(text.length, start + MAX_WORD);
  while (end < last && isWord(text.charCodeAt(end))) end++;
  into.apart = start === text.length ? APART.edge : apart;
  into.start = start;
  into.end = end;
}
