import { chanceOf, psiOf } from "#model/health/drift";
import { chance } from "#test/support/watched-agent";

/** Samples drawn for each figure. */
const RUNS = 2_000;

const sample = (shares: readonly number[], size: number, random: () => number): number[] => {
  const counts = shares.map(() => 0);
  for (let i = 0; i < size; i += 1) {
    let left = random();
    let bin = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    if (bin < 0) bin = shares.length - 1;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
};

/** Ten bins, from frequent to rare. */
const normal = (weights: readonly number[]) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
};
const BEFORE = normal([20, 16, 13, 11, 10, 9, 7, 6, 5, 3]);
const exactPsi = (p: readonly number[], q: readonly number[]) =>
  p.reduce((sum, a, at) => sum + (a - (q[at] ?? a)) * Math.log(a / (q[at] ?? a)), 0);
/** The same bins with their weights bent towards the rare ones, as far as it takes to reach an index. */
const shifted = (psi: number) => {
  let [low, high] = [0, 2];
  const at = (bend: number) => normal(BEFORE.map((share, bin) => share * Math.exp((bend * bin) / 5)));
  for (let i = 0; i < 50; i += 1) {
    const middle = (low + high) / 2;
    if (exactPsi(BEFORE, at(middle)) < psi) low = middle;
    else high = middle;
  }
  return at(low);
};

const shareOf = (runs: number, happens: () => boolean): number =>
  Array.from({ length: runs }, happens).filter(Boolean).length / runs;

export type Sizes = { readonly n: number; readonly m: number };

export const WITHOUT_DRIFT: readonly Sizes[] = [
  { n: 500, m: 50 },
  { n: 500, m: 100 },
  { n: 500, m: 200 },
  { n: 1_000, m: 200 },
  { n: 1_000, m: 500 },
];

/** How often two samples of the same shares exceed a threshold: ours, unless told a fixed one. */
export const falseAlarms = ({ n, m }: Sizes, fixed?: number): number => {
  const random = chance(n + m);
  const threshold = fixed ?? Math.max(0.1, chanceOf(BEFORE.length, n, m));
  return shareOf(RUNS, () => psiOf(sample(BEFORE, n, random), sample(BEFORE, m, random)) > threshold);
};

export type Shifted = { readonly level: "watch" | "drifting"; readonly psi: number; readonly m: number };

export const WITH_DRIFT: readonly Shifted[] = [
  { level: "watch", psi: 0.13, m: 200 },
  { level: "drifting", psi: 0.31, m: 200 },
  { level: "drifting", psi: 0.31, m: 500 },
];

/** How often a true shift is seen against a baseline of a thousand. */
export const power = ({ level, psi, m }: Shifted): number => {
  const random = chance(m);
  const after = shifted(psi);
  const threshold = Math.max(level === "watch" ? 0.1 : 0.25, chanceOf(BEFORE.length, 1_000, m));
  return shareOf(RUNS, () => psiOf(sample(BEFORE, 1_000, random), sample(after, m, random)) > threshold);
};
