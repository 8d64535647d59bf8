import { comparableForm, type KeptText } from "./kept-content";

/*
 * Which reported texts are alike. A SimHash of 64 bits (Charikar, STOC 2002): each word, and each pair of words, votes on
 * each bit; texts that share most of them differ in few bits. Numbers, addresses and what looks like a key count as one
 * and the same word, so that a template is alike whatever was filled in, and nothing of that can be tried against it.
 */

/** UTF-16 units of a report's texts that are looked at, and words: a few milliseconds. */
const MAX_UNITS = 8_192;
const MAX_WORDS = 500;
/** Longer ones are no words, but keys and the like. */
const MAX_WORD = 20;
/** Two texts of nothing in common differ in 32 bits, give or take 4. */
const MAX_DIFFERENT_BITS = 16;

const VALUE = "#";
const HALF = 32;

/** 16 hexadecimal digits; null for texts without a word. `hash` is keyed, so that no text can be tried against it. */
export const fingerprintOf = (
  texts: readonly Pick<KeptText, "text">[],
  hash: (text: string) => string,
): string | null => {
  const words = wordsOf(
    comparableForm(
      texts
        .map(({ text }) => text)
        .join("\n")
        .slice(0, MAX_UNITS),
    ),
  );
  if (words.length === 0) return null;
  const key = hash("fingerprint of a report");
  const seeds = [Number.parseInt(key.slice(0, 8), 16), Number.parseInt(key.slice(8, 16), 16)] as const;
  const features = words.flatMap((word, at) => (at === 0 ? [word] : [word, `${words[at - 1]} ${word}`]));
  return seeds.map((seed) => hexOf(majorityOf(features, seed))).join("");
};

/** Stands for a text that is not there any more: alike only what is equal. */
export const fingerprintOfHash = (hash: string): string => hash.slice(0, 16);

/** As it is compared: its two halves. */
export type Fingerprint = readonly [number, number];

export const readFingerprint = (hex: string): Fingerprint => [numberAt(hex, 0), numberAt(hex, HALF / 4)];

/** Whether two reported texts are alike. */
export const areAlike = (one: Fingerprint, other: Fingerprint): boolean =>
  bitsIn(one[0] ^ other[0]) + bitsIn(one[1] ^ other[1]) <= MAX_DIFFERENT_BITS;

const numberAt = (hex: string, at: number): number => Number.parseInt(hex.slice(at, at + HALF / 4), 16);

/** Of 32, counted in pairs, then in fours, eights, and all at once. */
const bitsIn = (number: number): number => {
  const pairs = number - ((number >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

const wordsOf = (text: string): string[] => {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}@_.+/=-]+/gu)) {
    const isValue = /[\p{N}@]/u.test(word) || word.length > MAX_WORD;
    const said = isValue ? VALUE : word.replace(/[_.+/=-]+/g, "");
    // Of several values in a row one is enough.
    if (said === "" || (isValue && words.at(-1) === VALUE)) continue;
    words.push(said);
    if (words.length === MAX_WORDS) break;
  }
  return words;
};

/** FNV-1a, begun at the seed and finished as MurmurHash3 does. */
const mixed = (text: string, seed: number): number => {
  let hash = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** The bits that are set in most of the features' hashes. */
const majorityOf = (features: readonly string[], seed: number): number => {
  const counts = new Uint16Array(HALF);
  for (const feature of features) {
    const bits = mixed(feature, seed);
    for (let bit = 0; bit < HALF; bit += 1) counts[bit] = (counts[bit] ?? 0) + ((bits >>> bit) & 1);
  }
  return counts.reduce((all, count, bit) => (2 * count > features.length ? all | (1 << bit) : all), 0);
};

const hexOf = (bits: number): string => (bits >>> 0).toString(16).padStart(8, "0");
