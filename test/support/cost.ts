import { expect } from "bun:test";

const TRIES = 4;
const TURNS = 8;

/**
 * Milliseconds this process has worked: what others do meanwhile on the machine is not among them. Not the thread's
 * own, which the kernel counts in ticks.
 */
const worked = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

export const timed = (work: () => unknown): number => {
  const began = worked();
  work();
  return worked() - began;
};

type Sizes = { readonly short: number; readonly long: number; readonly noiseMs: number };
const SIZES: Sizes = { short: 50_000, long: 100_000, noiseMs: 40 };

/**
 * A longer text may cost twice as much as its length tells at most, and clock noise is forgiven; what is quadratic
 * shows at 100 KB. It does so every time, so whoever met a busy machine may try again, and nothing else is timed
 * more than once.
 */
export function expectLinear(part: string, scan: (text: string) => unknown, sizes: Sizes = SIZES): void {
  const { short, long, noiseMs } = sizes;
  const growth = (long / short) * 2;
  const cost = (size: number): number => {
    const text = part.repeat(Math.ceil(size / part.length)).slice(0, size);
    return timed(() => scan(text));
  };
  for (let left = TRIES - 1; left >= 0; left--) {
    const most = cost(short) * growth + noiseMs;
    const whole = cost(long);
    if (left === 0) expect(whole).toBeLessThan(most);
    else if (whole < most) return;
  }
}

/**
 * How many times as long the work takes as the yardstick. Both take turns, and the least of each counts, so that a
 * slow or busy machine is so for both. Work for at least some milliseconds a turn.
 */
export function costRatio(work: () => unknown, yardstick: () => unknown, turns = TURNS): number {
  let [least, measure] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < turns; turn += 1) {
    measure = Math.min(measure, timed(yardstick));
    least = Math.min(least, timed(work));
  }
  return least / measure;
}
