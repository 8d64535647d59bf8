import { expect } from "bun:test";

const TRIES = 4;
const NOISE_MS = 40;

/**
 * Twice the text may cost four times as much at most, and clock noise is forgiven; what is quadratic shows at 100 KB.
 * It does so every time, so whoever met a busy machine may try again, and nothing else is timed more than once.
 */
export function expectLinear(part: string, scan: (text: string) => unknown): void {
  const cost = (size: number): number => {
    const text = part.repeat(Math.ceil(size / part.length)).slice(0, size);
    const began = performance.now();
    scan(text);
    return performance.now() - began;
  };
  for (let left = TRIES - 1; left >= 0; left--) {
    const half = cost(50_000);
    const whole = cost(100_000);
    if (left === 0) expect(whole).toBeLessThan(half * 4 + NOISE_MS);
    else if (whole < half * 4 + NOISE_MS) return;
  }
}
