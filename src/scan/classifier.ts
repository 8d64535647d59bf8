import { GramReader } from "./classifier-grams";

/**
 * A linear model over the n-grams of a text: the sign of an attack that no single rule names.
 * Each distinct n-gram counts once, so that repeating a word moves nothing, and their sum is
 * divided by the root of their number, so that long texts are no more suspect than short ones.
 */
export type LinearModel = {
  /** 2^bits weights, int8 in base64. */
  readonly bits: number;
  readonly weights: string;
  readonly scale: number;
  readonly bias: number;
  /** A margin becomes a score by 1 / (1 + e^-(slope · margin + offset)). */
  readonly whole: Calibration;
  /** The same for the most suspect passage of a text. */
  readonly passage: Calibration;
};

export type Calibration = { readonly slope: number; readonly offset: number };

/** What the model makes of a text, before calibration. */
export type Margins = {
  readonly whole: number;
  /** The highest of any passage; undefined where the text is hardly longer than one. */
  readonly passage: number | undefined;
  /** Distinct n-grams. */
  readonly grams: number;
};

/** With fewer n-grams than this (about 14 words, half of them concepts) a few of them decide, so nothing is certain. */
const FEW = 90;
const FEW_SCORE = 0.8;
/** A name or a phrase (up to about four words) says nothing: `complete` and `developer` stand in attacks too. */
const TOO_FEW = 20;
/** A passage is out of its context, so it never makes certain. */
const PASSAGE_SCORE = 0.8;
/** Words of half a passage; a passage begins at each half. */
const HALF = 10;

/** The distinct features of texts, one after the other, for training. */
export class Features extends GramReader {
  private readonly seen: Uint32Array;
  private turn = 0;
  /** Indices of the last text's features; the first `count` are valid. */
  readonly found: Int32Array;
  count = 0;

  constructor(bits: number) {
    super(bits);
    this.seen = new Uint32Array(1 << bits);
    this.found = new Int32Array(1 << bits);
  }

  read(text: string): void {
    this.turn++;
    this.count = 0;
    this.readText(text);
  }

  protected override gram(index: number): void {
    if (this.seen[index] === this.turn) return;
    this.seen[index] = this.turn;
    this.found[this.count++] = index;
  }

  protected override word(): void {}
}

/** Halves that can be told apart; then counting begins anew. */
const MAX_HALVES = (1 << 23) - 1;

/** N-grams looked up at a time: most halves of a passage have fewer. */
const PENDING = 128;

/** Sums up a text's weights, all of them and by passages, in one go. Its memory is used again for the next text. */
class Sums extends GramReader {
  /**
   * Of each n-gram the half in which it was last seen, above its weight's eight bits: the memory waited for is most of
   * the cost, and this way it is waited for once. Halves are counted through all texts.
   */
  private readonly cells: Int32Array;
  /** N-grams of this half that are still to be looked up: one after the other, the memory of many is waited for at once. */
  private readonly pending = new Int32Array(PENDING);
  private waiting = 0;
  private half = 0;
  private first = 1;
  private words = 0;
  private sum = 0;
  private count = 0;
  private halfSum = 0;
  private halfCount = 0;
  /** Of the half before. */
  private lastSum = 0;
  private lastCount = 0;
  private peak = Number.NEGATIVE_INFINITY;

  constructor(private readonly model: LinearModel) {
    super(model.bits);
    // Copied by the runtime: made cell by cell they would be a fifth of what the first text waits for.
    this.cells = new Int32Array(new Uint8Array(decoded(model).buffer, 0, 1 << model.bits));
  }

  read(text: string): Margins {
    // No text has more halves than units.
    if (this.half + text.length >= MAX_HALVES) this.forget();
    this.half++;
    this.first = this.half;
    this.words = 0;
    this.sum = 0;
    this.count = 0;
    this.halfSum = 0;
    this.halfCount = 0;
    this.lastSum = 0;
    this.lastCount = 0;
    this.peak = Number.NEGATIVE_INFINITY;
    this.readText(text);
    if (this.words % HALF > HALF / 4) this.endHalf();
    else this.sumUp();
    const long = this.words > 2.5 * HALF;
    return { whole: this.margin(this.sum, this.count), passage: long ? this.peak : undefined, grams: this.count };
  }

  protected override gram(index: number): void {
    this.pending[this.waiting++] = index;
    if (this.waiting === PENDING) this.sumUp();
  }

  private sumUp(): void {
    const { cells, pending, waiting, half, first } = this;
    const mark = half << 8;
    let { sum, count, halfSum, halfCount } = this;
    for (let i = 0; i < waiting; i++) {
      const index = pending[i] ?? 0;
      const cell = cells[index] ?? 0;
      const seen = cell >> 8;
      if (seen === half) continue;
      cells[index] = mark | (cell & 0xff);
      const weight = (cell << 24) >> 24;
      halfSum += weight;
      halfCount++;
      if (seen >= first) continue;
      sum += weight;
      count++;
    }
    this.sum = sum;
    this.count = count;
    this.halfSum = halfSum;
    this.halfCount = halfCount;
    this.waiting = 0;
  }

  private forget(): void {
    this.half = 0;
    for (let i = 0; i < this.cells.length; i++) this.cells[i] = (this.cells[i] ?? 0) & 0xff;
  }

  protected override word(): void {
    if (++this.words % HALF === 0) this.endHalf();
  }

  private endHalf(): void {
    this.sumUp();
    const { halfSum, halfCount } = this;
    this.peak = Math.max(this.peak, this.margin(this.lastSum + halfSum, this.lastCount + halfCount));
    this.lastSum = halfSum;
    this.lastCount = halfCount;
    this.halfSum = 0;
    this.halfCount = 0;
    this.half++;
  }

  private margin(sum: number, count: number): number {
    const { bias, scale } = this.model;
    return count === 0 ? bias : (sum * scale) / Math.sqrt(count) + bias;
  }
}

/** Scores texts from 0 to 1. The weights are decoded when the first text comes. */
export class Classifier {
  private sums: Sums | undefined;

  constructor(private readonly model: LinearModel) {}

  score(text: string): number {
    const { whole, passage, grams } = this.margins(text);
    if (grams < TOO_FEW) return 0;
    const score = calibrated(whole, this.model.whole);
    const most = grams < FEW ? Math.min(score, FEW_SCORE) : score;
    if (passage === undefined) return most;
    return Math.max(most, Math.min(calibrated(passage, this.model.passage), PASSAGE_SCORE));
  }

  margins(text: string): Margins {
    this.sums ??= new Sums(this.model);
    return this.sums.read(text);
  }
}

const calibrated = (margin: number, { slope, offset }: Calibration): number =>
  1 / (1 + Math.exp(-(slope * margin + offset)));

function decoded({ bits, weights }: LinearModel): Int8Array {
  const { buffer } = Uint8Array.fromBase64(weights);
  return new Int8Array(buffer, 0, 1 << bits);
}
