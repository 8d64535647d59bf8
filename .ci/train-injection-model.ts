import type { LinearModel } from "#scan/classifier";

/** The model has 2^17 weights. */
export const MODEL_BITS = 17;

const ROUNDS = 5;
const RATE = 0.3;
const DECAY = 2e-5;

/** One text to learn from. */
export type Lesson = { readonly attack: boolean; readonly weight: number; readonly features: Int32Array };

export type Trained = { readonly weights: Float64Array; readonly bias: number };

/** A small generator, so that a seed says everything (mulberry32's recurrence). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle<Item>(items: Item[], next: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    const [one, other] = [items[i], items[j]];
    if (one !== undefined && other !== undefined) [items[i], items[j]] = [other, one];
  }
}

/** Logistic regression by AdaGrad, with a pull towards zero. */
export function train(lessons: readonly Lesson[], bits: number, seed: number): Trained {
  const next = random(seed);
  const order = lessons.filter(({ features }) => features.length > 0);
  const weights = new Float64Array(1 << bits);
  const squares = new Float64Array(1 << bits).fill(1e-3);
  let bias = 0;
  let biasSquares = 1e-3;
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(order, next);
    for (const one of order) {
      const error = (1 / (1 + Math.exp(-margin(one, { weights, bias }))) - (one.attack ? 1 : 0)) * one.weight;
      learn(one.features, error / Math.sqrt(one.features.length), weights, squares);
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  return { weights, bias };
}

function learn(features: Int32Array, slope: number, weights: Float64Array, squares: Float64Array): void {
  for (const k of features) {
    const weight = weights[k] ?? 0;
    const step = slope + DECAY * weight;
    const square = (squares[k] ?? 0) + step * step;
    squares[k] = square;
    weights[k] = weight - (RATE * step) / Math.sqrt(square);
  }
}

export function margin({ features }: { features: Int32Array }, { weights, bias }: Trained): number {
  let sum = 0;
  for (const k of features) sum += weights[k] ?? 0;
  return features.length === 0 ? bias : sum / Math.sqrt(features.length) + bias;
}

/** The weights as they are shipped: one signed byte each. */
export function quantised(
  { weights, bias }: Trained,
  bits: number,
): Pick<LinearModel, "bits" | "weights" | "scale" | "bias"> {
  const most = weights.reduce((top, weight) => Math.max(top, Math.abs(weight)), 0);
  const scale = most / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  return { bits, weights: Buffer.from(bytes.buffer).toString("base64"), scale, bias };
}
