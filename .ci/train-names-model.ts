import { LABELS, type TaggerModel } from "#scan/tagger/tagger";
import { random } from "./train-injection-model";
import type { Lesson } from "./train-names-data";

const CLASSES = LABELS.length;
const ROUNDS = 4;
const RATE = 0.15;
const DECAY = 1e-6;

/** Multinomial logistic regression by AdaGrad. Four weights a cell. */
export function train(lessons: Lesson[], bits: number, seed: number): Float64Array {
  const next = random(seed);
  const weights = new Float64Array(CLASSES << bits);
  const squares = new Float64Array(CLASSES << bits).fill(1e-2);
  const odds = new Float64Array(CLASSES);
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(lessons, next);
    for (const { label, weight, features } of lessons) {
      odds.fill(0);
      for (const k of features)
        for (let c = 0; c < CLASSES; c++) odds[c] = (odds[c] ?? 0) + (weights[k * CLASSES + c] ?? 0);
      const most = Math.max(...odds);
      let sum = 0;
      for (let c = 0; c < CLASSES; c++) {
        odds[c] = Math.exp((odds[c] ?? 0) - most);
        sum += odds[c] ?? 0;
      }
      for (let c = 0; c < CLASSES; c++) {
        const slope = ((odds[c] ?? 0) / sum - (c === label ? 1 : 0)) * weight;
        if (Math.abs(slope) < 1e-4) continue;
        for (const k of features) {
          const at = k * CLASSES + c;
          const step = slope + DECAY * (weights[at] ?? 0);
          const square = (squares[at] ?? 0) + step * step;
          squares[at] = square;
          weights[at] = (weights[at] ?? 0) - (RATE * step) / Math.sqrt(square);
        }
      }
    }
  }
  return weights;
}

function shuffle<Item>(items: Item[], next: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    const [one, other] = [items[i], items[j]];
    if (one !== undefined && other !== undefined) [items[i], items[j]] = [other, one];
  }
}

/** The few largest weights are cut, so that the others keep their differences in one byte. */
export function quantised(weights: Float64Array): Pick<TaggerModel, "weights" | "scale"> {
  const sizes = weights.map(Math.abs).sort();
  const most = sizes[Math.floor(sizes.length * 0.9998)] ?? 1;
  const scale = most / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))));
  return { weights: new Uint8Array(bytes.buffer).toBase64(), scale };
}
