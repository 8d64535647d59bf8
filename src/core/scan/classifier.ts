/**
 * A linear model over hashed words and word pairs and triples: the sign of an attack that no single rule names.
 * Each distinct n-gram of a text counts once, so that repeating a word moves nothing, and their sum is
 * divided by the root of their number, so that long texts are no more suspect than short ones.
 */
export type LinearModel = {
  /** 2^bits weights, int8 in base64. */
  readonly bits: number;
  readonly weights: string;
  readonly scale: number;
  readonly bias: number;
  /** The margin becomes a score by 1 / (1 + e^-(slope · margin + offset)). */
  readonly slope: number;
  readonly offset: number;
};

/** Units of a text that are judged; what an attack sets up stands at one of its ends. */
const MOST = 64_000;
/** With fewer n-grams than this (about 14 words) a few of them decide, so nothing is certain. */
const FEW = 40;
const FEW_SCORE = 0.8;
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const PAIR = 0x9e3779b1;
const TRIPLE = 0x85ebca6b;

/** The distinct features of texts, one after the other; its memory of what it has seen is used again. */
export class Features {
  private readonly seen: Uint32Array;
  private turn = 0;
  private readonly shift: number;
  /** Indices of the last text's features; the first `count` are valid. */
  readonly found: Int32Array;
  count = 0;

  constructor(bits: number) {
    this.seen = new Uint32Array(1 << bits);
    this.found = new Int32Array(1 << bits);
    this.shift = 32 - bits;
  }

  read(text: string): void {
    this.turn = (this.turn + 1) >>> 0;
    if (this.turn === 0) this.seen.fill(0);
    this.turn ||= 1;
    this.count = 0;
    const lower = shortened(text).toLowerCase();
    let before = 0;
    let last = 0;
    for (let i = 0; i < lower.length; ) {
      const code = lower.charCodeAt(i);
      if (!isWord(code)) {
        i++;
        continue;
      }
      const end = isIdeograph(code) ? i + 1 : wordEnd(lower, i);
      let word = SEED;
      while (i < end) word = Math.imul(word ^ lower.charCodeAt(i++), PRIME);
      this.addNgrams(before, last, word);
      before = last;
      last = word;
    }
  }

  private addNgrams(before: number, last: number, word: number): void {
    this.add(word);
    if (last === 0) return;
    const pair = Math.imul(last, PAIR) ^ word;
    this.add(pair);
    if (before !== 0) this.add(Math.imul(before, TRIPLE) ^ pair);
  }

  private add(hash: number): void {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const index = Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) >>> this.shift;
    if (this.seen[index] === this.turn) return;
    this.seen[index] = this.turn;
    this.found[this.count++] = index;
  }
}

/** Scores texts from 0 to 1. The weights are decoded when the first text comes. */
export class Classifier {
  private ready: { readonly features: Features; readonly weights: Int8Array } | undefined;

  constructor(private readonly model: LinearModel) {}

  score(text: string): number {
    const { slope, offset } = this.model;
    const score = 1 / (1 + Math.exp(-(slope * this.margin(text) + offset)));
    const few = (this.ready?.features.count ?? 0) < FEW;
    return few ? Math.min(score, FEW_SCORE) : score;
  }

  margin(text: string): number {
    const { model } = this;
    this.ready ??= { features: new Features(model.bits), weights: decoded(model) };
    const { features, weights } = this.ready;
    features.read(text);
    let sum = 0;
    for (let k = 0; k < features.count; k++) sum += weights[features.found[k] ?? 0] ?? 0;
    return features.count === 0 ? model.bias : (sum * model.scale) / Math.sqrt(features.count) + model.bias;
  }
}

function decoded({ bits, weights }: LinearModel): Int8Array {
  const bytes = atob(weights);
  return Int8Array.from({ length: 1 << bits }, (_, i) => bytes.charCodeAt(i));
}

function shortened(text: string): string {
  return text.length <= MOST ? text : `${text.slice(0, MOST / 2)} ${text.slice(-MOST / 2)}`;
}

function wordEnd(lower: string, from: number): number {
  let at = from + 1;
  for (; at < lower.length; at++) {
    const code = lower.charCodeAt(at);
    if (!isWord(code) || isIdeograph(code)) break;
  }
  return at;
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
