import { expect } from "bun:test";

/** Beside other suites everything takes its time: what does not come at all is found out late, and nothing by chance. */
const PATIENCE_MS = 60_000;

/**
 * Reads again and again until what is read equals what is expected, and gives it. The failure is that of `toEqual`,
 * with what was read last: a page shows what it knew before until the hub has answered anew.
 */
export const eventually = async <T>(
  read: () => T | Promise<T>,
  expected: unknown,
  withinMs = PATIENCE_MS,
): Promise<T> => {
  for (const deadline = performance.now() + withinMs; ; await Bun.sleep(20)) {
    const found = await read();
    const isOver = performance.now() > deadline;
    try {
      expect<unknown>(found).toEqual(expected);
      return found;
    } catch (difference) {
      if (isOver) throw difference;
    }
  }
};
