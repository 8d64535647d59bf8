import { CONCEPT_BITS, Concepts, STEM } from "./classifier-concepts";

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const PAIR = 0x9e3779b1;
const LETTERS = 0x85ebca6b;
const SPACE = 0x20;
const CONCEPT = 0x2545f491;

/** Units of a text that are judged; what an attack sets up stands at one of its ends. */
const MAX_GRAMS = 64_000;

/**
 * Cuts a folded text into hashed n-grams: words, pairs of words, and runs of four letters within a word and its
 * edges, which endings and spellings leave alone. Scripts written without spaces give a word for each character.
 * Of words that stand for a concept, it gives the concept too, and which of the three before it in the sentence it
 * stands behind.
 */
export abstract class GramReader {
  private readonly shift: number;
  /** The hash of the word before, 0 for none. */
  private before = 0;
  private readonly concepts = new Concepts(hashOf);
  /** The sentence's last three concepts, the last one in the lowest bits. */
  private trail = 0;

  constructor(bits: number) {
    this.shift = 32 - bits;
  }

  /** One n-gram, as an index below 2^bits. */
  protected abstract gram(index: number): void;
  /** All n-grams of a word have been given. */
  protected abstract word(): void;

  protected readText(text: string): void {
    const lower = shortened(text).toLowerCase();
    this.before = 0;
    this.trail = 0;
    for (let at = 0; at < lower.length; ) {
      const unit = lower.charCodeAt(at);
      if (isWord(unit)) at = this.readWord(lower, at);
      else {
        if (endsSentence(unit)) this.trail = 0;
        at++;
      }
    }
  }

  /** Gives the word's end. */
  private readWord(lower: string, from: number): number {
    let at = from;
    let unit = lower.charCodeAt(at);
    const stop = isIdeograph(unit) ? at + 1 : lower.length;
    let word = SEED;
    let four = SPACE;
    let stem = 0;
    for (;;) {
      word = Math.imul(word ^ unit, PRIME);
      four = (four << 8) | ((unit ^ (unit >>> 8)) & 0xff);
      at++;
      if (at - from === STEM) stem = word;
      if (at - from > 2) this.add(Math.imul(four, LETTERS));
      if (at >= stop) break;
      unit = lower.charCodeAt(at);
      if (!isWord(unit) || isIdeograph(unit)) break;
    }
    if (at - from > 1) this.add(Math.imul((four << 8) | SPACE, LETTERS));
    this.add(word);
    if (this.before !== 0) this.add(Math.imul(this.before, PAIR) ^ word);
    const concept = this.concepts.of(at - from < STEM ? word : stem);
    if (concept !== 0) this.addConcept(concept);
    this.word();
    this.before = word;
    return at;
  }

  /** By itself, in pairs, and with the two before it. */
  private addConcept(concept: number): void {
    this.add(Math.imul(concept, CONCEPT));
    for (let back = 1, rest = this.trail; rest !== 0; back++, rest >>>= CONCEPT_BITS) {
      this.add(Math.imul((back << (2 * CONCEPT_BITS)) | ((rest & ONE) << CONCEPT_BITS) | concept, CONCEPT));
    }
    const three = ((this.trail << CONCEPT_BITS) | concept) & THREE;
    if (three > TWO) this.add(Math.imul(three | (1 << (3 * CONCEPT_BITS)), CONCEPT));
    this.trail = three;
  }

  private add(hash: number): void {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    this.gram(Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) >>> this.shift);
  }
}

const ONE = (1 << CONCEPT_BITS) - 1;
const TWO = (1 << (2 * CONCEPT_BITS)) - 1;
const THREE = (1 << (3 * CONCEPT_BITS)) - 1;

function hashOf(word: string): number {
  let hash = SEED;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME);
  return hash;
}

/** `.`, `!`, `?`, `:` and the line's end. */
const endsSentence = (code: number): boolean =>
  code === 0x2e || code === 0x21 || code === 0x3f || code === 0x3a || code === 0x0a;

function shortened(text: string): string {
  return text.length <= MAX_GRAMS ? text : `${text.slice(0, MAX_GRAMS / 2)} ${text.slice(-MAX_GRAMS / 2)}`;
}

/** ASCII letters and digits, and what is no punctuation or space elsewhere. Runs on lower-case text. */
function isWord(code: number): boolean {
  if (code < 0x80) return (code > 0x60 && code < 0x7b) || (code > 0x2f && code < 0x3a);
  if (code < 0x2000) return code > 0xbf || code === 0xaa || code === 0xba;
  return code > 0x206f && !(code > 0x2fff && code < 0x3005) && !(code > 0x3007 && code < 0x3041) && code < 0xff00;
}

/** Scripts written without spaces, and Hangul, whose endings vary: each character is a word. */
function isIdeograph(code: number): boolean {
  return code > 0x2dff && code < 0xd7b0;
}
