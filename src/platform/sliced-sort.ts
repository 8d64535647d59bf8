import type { Pause } from "#platform/slices";

/** Sorted in one go: far below a slice. */
const RUN = 128;

/** The same order as `toSorted`, in slices: a hundred thousand long keys are most of a second of work. */
export const sortedSliced = async <T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  pause: Pause,
): Promise<T[]> => {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    const wait = pause();
    if (wait) await wait;
    runs.push(items.slice(at, at + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(await merged(runs[at] ?? [], runs[at + 1] ?? [], compare, pause));
    }
    runs = longer;
  }
  return runs[0] ?? [];
};

const merged = async <T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  pause: Pause,
): Promise<T[]> => {
  const all: T[] = [];
  let taken = 0;
  for (const item of one) {
    for (let next = other[taken]; next !== undefined && compare(next, item) < 0; next = other[taken]) {
      all.push(next);
      taken += 1;
      const wait = pause();
      if (wait) await wait;
    }
    all.push(item);
    const wait = pause();
    if (wait) await wait;
  }
  for (const rest of other.slice(taken)) all.push(rest);
  return all;
};
