import { ofBin } from "#model/call-entry";
import { usdOf } from "#model/money";
import type { TrafficBucket } from "#store/call-index-port";
import type {
  OverviewBucket,
  OverviewCost,
  OverviewTop,
  Traffic,
  TrafficGroup,
  TrafficGroupBy,
  TrafficMeasure,
} from "./schema";

/* What counters of buckets come to. */

type Counts = TrafficBucket["counts"];

const bucketOf = (counts: ReadonlyMap<string, number>): Omit<OverviewBucket, "at"> => {
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    calls: of("calls"),
    allow: of("decision.allow"),
    flag: of("decision.flag"),
    redact: of("decision.redact"),
    block: of("decision.block"),
    held: of("held"),
    refused: of("decision.refused"),
    error: of("decision.error"),
    cost_usd: usdOf(of("cost")),
  };
};

const addTo = (sum: Map<string, number>, counts: Counts): void => {
  for (const [name, by] of counts) sum.set(name, (sum.get(name) ?? 0) + by);
};

/** Which bucket a moment is in; -1 for none. */
const bucketOfMoment = (edges: readonly number[], moment: number): number => {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low < edges.length ? low - 1 : -1;
};

/** Counters by the bucket they lie in, bucket for bucket. */
export const bucketed = (buckets: readonly TrafficBucket[], edges: readonly number[]): Map<string, number>[] => {
  const sums = edges.slice(1).map(() => new Map<string, number>());
  for (const { at, counts } of buckets) {
    const sum = sums[bucketOfMoment(edges, at)];
    if (sum) addTo(sum, counts);
  }
  return sums;
};

/** Oldest first, without gaps. */
export const seriesOf = (sums: readonly ReadonlyMap<string, number>[], edges: readonly number[]): OverviewBucket[] =>
  sums.map((sum, index) => ({ at: new Date(edges[index] ?? 0).toISOString(), ...bucketOf(sum) }));

const COUNTERS: Readonly<Record<TrafficGroupBy, Readonly<Record<TrafficMeasure, string | null>>>> = {
  agent: { calls: "agent", cost: "agent_cost" },
  model: { calls: "model", cost: "model_cost" },
  finding: { calls: "flag", cost: null },
};
const MAX_GROUPS = 6;

/** How the counters begin that tell calls apart so; undefined where nothing is counted. */
export const groupPrefix = (by: TrafficGroupBy, measure: TrafficMeasure): string | undefined => {
  const counter = COUNTERS[by][measure];
  return counter === null ? undefined : `${counter}.`;
};

/**
 * The largest of what calls are told apart by, and all others together, bucket for bucket. Without the latter where a call
 * may have several (findings). `nameOf` is null for what may not be named: it counts to the others.
 */
export const groupsOf = (
  sums: readonly ReadonlyMap<string, number>[],
  { by, measure }: { readonly by: TrafficGroupBy; readonly measure: TrafficMeasure },
  nameOf: (id: string) => string | null,
): TrafficGroup[] => {
  const counter = COUNTERS[by][measure];
  if (counter === null) return [];
  const shown = (value: number): number => (measure === "cost" ? usdOf(value) : value);
  const total = namesIn(sumOfMaps(sums), counter);
  const named = new Map([...total].filter(([id]) => nameOf(id) !== null));
  const largest = topOf(named, MAX_GROUPS);
  const valuesOf = (id: string): number[] => sums.map((sum) => sum.get(`${counter}.${id}`) ?? 0);
  const groups = largest.map(({ name: id, count }) => ({
    ...{ id, name: nameOf(id) ?? id, total: shown(count) },
    values: valuesOf(id).map(shown),
  }));
  if (by === "finding") return groups;
  const known = new Set(largest.map(({ name }) => name));
  const all = sums.map((sum) => sum.get(measure === "cost" ? "cost" : "calls") ?? 0);
  const others = all.map((value, index) => {
    const sum = sums[index] ?? new Map<string, number>();
    return value - [...known].reduce((part, id) => part + (sum.get(`${counter}.${id}`) ?? 0), 0);
  });
  const rest = others.reduce((sum, value) => sum + value, 0);
  if (rest === 0) return groups;
  return [...groups, { id: null, name: "Other", total: shown(rest), values: others.map(shown) }];
};

export const sumOfMaps = (sums: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> => {
  const total = new Map<string, number>();
  for (const sum of sums) addTo(total, sum);
  return total;
};

export const sumOf = (buckets: readonly TrafficBucket[]): ReadonlyMap<string, number> => {
  const sum = new Map<string, number>();
  for (const { counts } of buckets) addTo(sum, counts);
  return sum;
};

/** Those of one kind, by name: `model.gpt-5` under `gpt-5`. */
export const namesIn = (sum: ReadonlyMap<string, number>, kind: string): Map<string, number> => {
  const prefix = `${kind}.`;
  const found = [...sum].filter(([name]) => name.startsWith(prefix));
  return new Map(found.map(([name, count]) => [name.slice(prefix.length), count]));
};

export const topOf = (counts: ReadonlyMap<string, number>, most: number): OverviewTop[] =>
  [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, most);

/** The value that so many of all lie below, from bins; null for none. */
const quantile = (bins: ReadonlyMap<string, number>, share: number): number | null => {
  const sorted = [...bins].map(([bin, count]) => [Number(bin), count] as const).sort(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bin, count] of sorted) {
    below += count;
    if (below >= total * share) return ofBin(bin);
  }
  return null;
};

const rounded = (value: number | null, by = 1): number | null =>
  value === null ? null : Math.round((value / by) * 10) / 10;

/** What all calls came to, and the rate of it: both of the same calls. */
export const countedOf = (sum: ReadonlyMap<string, number>): Pick<Traffic, "totals" | "block_rate"> => {
  const totals = bucketOf(sum);
  return { totals, block_rate: totals.calls > 0 ? totals.block / totals.calls : null };
};

/** Percentiles, tokens and cost. */
export const figuresOf = (
  sum: ReadonlyMap<string, number>,
): Pick<Traffic, "scan_us" | "upstream_ms" | "tokens" | "cost"> => {
  const [scan, upstream] = [namesIn(sum, "scan"), namesIn(sum, "upstream")];
  return {
    scan_us: { p50: rounded(quantile(scan, 0.5)), p95: rounded(quantile(scan, 0.95)) },
    // Kept in microseconds.
    upstream_ms: { p50: rounded(quantile(upstream, 0.5), 1_000), p95: rounded(quantile(upstream, 0.95), 1_000) },
    tokens: { prompt: sum.get("tokens.prompt") ?? 0, completion: sum.get("tokens.completion") ?? 0 },
    cost: {
      usd: usdOf(sum.get("cost") ?? 0),
      estimated_calls: sum.get("estimated") ?? 0,
      unpriced_calls: sum.get("unpriced") ?? 0,
    },
  };
};

/** Those that cost most, in dollars. */
export const dearestOf = (costs: ReadonlyMap<string, number>, most: number): OverviewCost[] =>
  topOf(costs, most).map(({ name, count }) => ({ name, cost_usd: usdOf(count) }));
