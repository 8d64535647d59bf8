/** Words that attacks need. Hidden spellings are undone only where they give some of these. */
const TRIGGERS =
  "ignore ignoring disregard forget override overrule bypass neglect discard dismiss previous prior above earlier preceding original instructions instruction prompt prompts system rules guidelines directives directions commands constraints restrictions restriction policies policy training programming reveal repeat print output display disclose developer pretend jailbreak unrestricted unfiltered uncensored without message messages hidden secret secrets password passwords assistant everything anything safety filters filter disable enabled immediately respond refuse refusing following follow obey answer content forward emails user language model credentials confidential execute";
/** Words that stand between them. */
const FILLERS =
  "a all an and any are as at be can do does dan ai every exist for from give i if in is it its me my new no not now of on only or our other question send so stop tell that the them then these this those to transfer until us was what will with you your about continue call funds tool mode act";

export const TRIGGER_WORDS: ReadonlySet<string> = new Set(TRIGGERS.split(" "));
const KNOWN: ReadonlySet<string> = new Set([...TRIGGERS.split(" "), ...FILLERS.split(" ")]);
const MAX_LENGTH = 14;
/** Shorter words turned round, or rotated, are too often other words. */
const MIN_LENGTH = 5;

const long = [...TRIGGER_WORDS].filter((word) => word.length >= MIN_LENGTH);
const ROTATED: ReadonlySet<string> = new Set(long.map(rot13));
const REVERSED: ReadonlySet<string> = new Set(long.map((word) => reversed(word)));
/** The word a jumbled one stands for, by first letter, sorted middle and last letter. */
const JUMBLED: ReadonlyMap<string, string> = new Map(long.map((word) => [signature(word), word]));

/** Whether a word of some shape, and of some letters in any order, can be a disguised one: most cannot. */
const SHAPES = new Uint8Array(1 << 14);
const LETTERS = new Uint8Array(1 << 14);
/** The trigger words of a shape: as they are they are no disguise. */
const PLAIN = new Map<number, readonly string[]>();
for (const word of long) {
  const at = shape(word, 0, word.length);
  PLAIN.set(at, [...(PLAIN.get(at) ?? []), word]);
}
for (const word of [...ROTATED, ...REVERSED, ...long]) {
  SHAPES[shape(word, 0, word.length)] = 1;
  LETTERS[letters(word, 0, word.length)] = 1;
}

/** In a few nanoseconds: false for nearly all words, which are letters only. */
export function mayBeDisguised(text: string, start: number, end: number): boolean {
  if (end - start < MIN_LENGTH) return false;
  const at = shape(text, start, end);
  return SHAPES[at] === 1 && LETTERS[letters(text, start, end)] === 1 && !isPlain(text, start, end, at);
}

function isPlain(text: string, start: number, end: number, at: number): boolean {
  const words = PLAIN.get(at);
  return words?.some((word) => word.length === end - start && stands(text, start, word)) ?? false;
}

/** Whether a word of small letters stands there, in any case. */
function stands(text: string, start: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    if ((text.charCodeAt(start + i) | 0x20) !== word.charCodeAt(i)) return false;
  }
  return true;
}

export type Disguise = { readonly kind: "rotated" | "reversed" } | { readonly kind: "jumbled"; readonly word: string };

export function disguise(word: string): Disguise | undefined {
  const lower = word.toLowerCase();
  if (TRIGGER_WORDS.has(lower)) return undefined;
  if (ROTATED.has(lower)) return { kind: "rotated" };
  if (REVERSED.has(lower)) return { kind: "reversed" };
  const meant = JUMBLED.get(signature(lower));
  return meant === undefined ? undefined : { kind: "jumbled", word: meant };
}

export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode(code + ((code & 31) <= 13 ? 13 : -13));
  });
}

export function reversed(text: string): string {
  return Array.from(text).reverse().join("");
}

const DIGIT_LETTERS: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  2: "z",
  3: "e",
  4: "a",
  5: "s",
  6: "g",
  7: "t",
  8: "b",
  9: "g",
};

/** What a unit at either end of such a word is read as, an l as an i since a 1 may be both; and the shapes that fit. */
const ENDS = new Uint8Array(128);
for (let code = 0x41; code < 0x7b; code++) ENDS[code] = (code & 31) === 12 ? 9 : code & 31;
for (const [digit, letter] of Object.entries(DIGIT_LETTERS)) ENDS[digit.charCodeAt(0)] = letter.charCodeAt(0) & 31;
const LEET_SHAPES = new Uint8Array(1 << 14);
for (const word of TRIGGER_WORDS) LEET_SHAPES[leetShape(word, 0, word.length)] = 1;

/** In a few nanoseconds: false for nearly all words of letters and digits that are no trigger words. */
export function mayBeLeet(text: string, start: number, end: number): boolean {
  return LEET_SHAPES[leetShape(text, start, end)] === 1;
}

function leetShape(text: string, start: number, end: number): number {
  const first = ENDS[text.charCodeAt(start)] ?? 0;
  const last = ENDS[text.charCodeAt(end - 1)] ?? 0;
  return (first << 9) | (last << 4) | ((end - start) & 15);
}

/** A word with digits for letters, read as letters; a 1 is an i unless only an l gives a known word. */
export function unleet(word: string): string {
  const plain = word.replace(/\d/g, (digit) => DIGIT_LETTERS[digit] ?? digit);
  if (!word.includes("1") || KNOWN.has(plain.toLowerCase())) return plain;
  const other = word.replace(/\d/g, (digit) => (digit === "1" ? "l" : (DIGIT_LETTERS[digit] ?? digit)));
  return KNOWN.has(other.toLowerCase()) ? other : plain;
}

const KNOWN_SHAPES = new Uint8Array(1 << 14);
for (const word of KNOWN) KNOWN_SHAPES[shape(word, 0, word.length)] = 1;

/** Without cutting anything out of the text. */
const mayBeKnown = (text: string, start: number, end: number): boolean => KNOWN_SHAPES[shape(text, start, end)] === 1;

/** Parts a run of letters into known words, longest first; as it was if that fails. */
export function segmented(run: string): string {
  const lower = run.toLowerCase();
  const words: string[] = [];
  for (let at = 0; at < lower.length; ) {
    let size = Math.min(MAX_LENGTH, lower.length - at);
    while (size > 0 && !(mayBeKnown(lower, at, at + size) && KNOWN.has(lower.slice(at, at + size)))) size--;
    if (size === 0) return run;
    words.push(run.slice(at, at + size));
    at += size;
  }
  return words.join(" ");
}

function signature(word: string): string {
  return word.charAt(0) + Array.from(word.slice(1, -1)).sort().join("") + word.charAt(word.length - 1);
}

function shape(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start) & 31;
  const last = text.charCodeAt(end - 1) & 31;
  return (first << 9) | (last << 4) | ((end - start) & 15);
}

function letters(text: string, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) {
    const letter = text.charCodeAt(i) & 31;
    sum += Math.imul(letter * letter + 7, 0x9e3779b1 * letter);
  }
  return (sum ^ (sum >>> 15)) & 0x3fff;
}
