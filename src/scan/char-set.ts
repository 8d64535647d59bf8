/** A set of ASCII units, as a table. Units beyond ASCII are in no set. */
export type CharSet = Uint8Array;

/** From the inside of a character class without escapes: `"A-Za-z0-9_-"`; a dash last is a dash. */
export function charSet(spec: string): CharSet {
  const set = new Uint8Array(128);
  for (let i = 0; i < spec.length; i++) {
    const low = spec.charCodeAt(i);
    const ranged = spec[i + 1] === "-" && i + 2 < spec.length;
    const high = ranged ? spec.charCodeAt(i + 2) : low;
    for (let code = low; code <= high; code++) set[code] = 1;
    if (ranged) i += 2;
  }
  return set;
}

/** What is in one of the sets. */
export const anyOf = (...sets: readonly CharSet[]): CharSet =>
  new Uint8Array(128).map((_, code) => Number(sets.some((set) => set[code] === 1)));

/** All of ASCII that is not in the set. */
export const allBut = (set: CharSet): CharSet => set.map((on) => 1 - on);

/** Whether a unit (or -1 for "no unit") is in the set. */
export function inSet(set: CharSet, code: number): boolean {
  return code >= 0 && code < 128 && set[code] === 1;
}

export const DIGIT = charSet("0-9");
export const HEX = charSet("0-9a-fA-F");
export const ALNUM = charSet("A-Za-z0-9");
export const WORD = charSet("A-Za-z0-9_");
export const TOKEN = charSet("A-Za-z0-9_-");
export const BASE64 = charSet("A-Za-z0-9+/");
export const BLANK = charSet(" \t");
export const SPACE = charSet(" \t\r\n");
