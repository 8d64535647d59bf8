import { ofBin } from "#model/call-entry";
import { usdOf } from "#model/money";
import type { TrafficBucket, TrafficSpan } from "#store/call-index-port";
import type { Overview, OverviewBucket, OverviewCost, OverviewTop, OverviewWindow } from "./schema";

/* What counters of buckets come to. */

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** How wide a bucket is shown, of what spans it is made, and how many there are. */
export const WINDOWS: Readonly<
  Record<OverviewWindow, { readonly span: TrafficSpan; readonly bucket: number; readonly count: number }>
> = {
  "1h": { span: 60_000, bucket: MINUTE, count: 60 },
  "24h": { span: 900_000, bucket: 15 * MINUTE, count: 96 },
  "7d": { span: 3_600_000, bucket: HOUR, count: 168 },
  "30d": { span: 3_600_000, bucket: 6 * HOUR, count: 120 },
};

type Counts = TrafficBucket["counts"];
const DECISIONS = ["allow", "flag", "redact", "block", "refused", "error"] as const;

const bucketOf = (counts: ReadonlyMap<string, number>): Omit<OverviewBucket, "at"> => {
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    calls: of("calls"),
    allow: of("decision.allow"),
    flag: of("decision.flag"),
    redact: of("decision.redact"),
    block: of("decision.block"),
    refused: of("decision.refused"),
    error: of("decision.error"),
    cost_usd: usdOf(of("cost")),
  };
};

const addTo = (sum: Map<string, number>, counts: Counts): void => {
  for (const [name, by] of counts) sum.set(name, (sum.get(name) ?? 0) + by);
};

/** Oldest first, without gaps. */
export const seriesOf = (
  buckets: readonly TrafficBucket[],
  { since, bucket, count }: { readonly since: number; readonly bucket: number; readonly count: number },
): OverviewBucket[] => {
  const sums = Array.from({ length: count }, () => new Map<string, number>());
  for (const { at, counts } of buckets) {
    const sum = sums[Math.floor((at - since) / bucket)];
    for (const name of ["calls", "cost", ...DECISIONS.map((one) => `decision.${one}`)]) {
      const by = counts.get(name);
      if (sum && by !== undefined) sum.set(name, (sum.get(name) ?? 0) + by);
    }
  }
  return sums.map((sum, index) => ({ at: new Date(since + index * bucket).toISOString(), ...bucketOf(sum) }));
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

/** Totals, rates and percentiles. */
export const totalsOf = (
  sum: ReadonlyMap<string, number>,
): Pick<Overview, "totals" | "block_rate" | "scan_us" | "upstream_ms" | "tokens" | "cost"> => {
  const totals = bucketOf(sum);
  const [scan, upstream] = [namesIn(sum, "scan"), namesIn(sum, "upstream")];
  return {
    totals,
    block_rate: totals.calls > 0 ? totals.block / totals.calls : null,
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
