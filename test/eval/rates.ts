import { alarms, type Counting, isFound, match, type Seen } from "./seen";

export type Counters = { readonly recorded: Counting; readonly enforced: Counting };

/** Of the labels of some samples, how many were found. */
export type Recall = {
  readonly labels: number;
  readonly found: number;
  /** Where the spans agree well too. */
  readonly strict: number;
  /** Which the built-in policy redacts or blocks. */
  readonly enforced: number;
};

export function recall(seen: readonly Seen[], counters: Counters, wanted: (type: string) => boolean): Recall {
  let labels = 0;
  let found = 0;
  let strict = 0;
  let enforced = 0;
  for (const one of seen) {
    const recorded = counters.recorded(one);
    const acted = counters.enforced(one);
    for (const label of one.sample.labels.filter(({ type }) => wanted(type))) {
      labels++;
      if (isFound(label, recorded)) found++;
      if (isFound(label, recorded, match)) strict++;
      if (isFound(label, acted)) enforced++;
    }
  }
  return { labels, found, strict, enforced };
}

/** How many negatives are flagged, as anything or as one category. */
export const falseAlarms = (negatives: readonly Seen[], counts: Counting, category?: string): number =>
  negatives.filter((one) =>
    alarms(one, counts(one)).some((finding) => category === undefined || finding.category === category),
  ).length;

/** A share of a whole; NaN of nothing. */
export const share = (part: number, whole: number): number => (whole === 0 ? Number.NaN : part / whole);

export const percent = (value: number): string => (Number.isNaN(value) ? "–" : `${(value * 100).toFixed(1)} %`);

export const harmonic = (one: number, other: number): number =>
  one + other === 0 ? 0 : (2 * one * other) / (one + other);

export function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
