import type { HistogramReading, Metric, MetricLabels } from "./metrics";

/* The figures of several processes as those of one. */

/** What one process told. */
export type Reading = {
  /** Its name, for figures that make no sense together; null for what has ended. */
  readonly worker: string | null;
  readonly metrics: readonly Metric[];
};

type Sampled = Extract<Metric, { samples: unknown }>;
type Sample = Sampled["samples"][number];

/** In the order in which they are first told of. */
export const mergedMetrics = (readings: readonly Reading[]): Metric[] => {
  const merged = new Map<string, Metric>();
  for (const { worker, metrics } of readings) {
    for (const metric of metrics) {
      const one = labelled(metric, worker);
      const before = merged.get(one.name);
      const together = before === undefined ? one : both(before, one);
      if (together !== null) merged.set(one.name, together);
    }
  }
  return [...merged.values()];
};

/** What goes on counting when its process has ended: otherwise a sum would fall, and collectors take that for a start. */
export const lastingMetrics = (metrics: readonly Metric[]): Metric[] =>
  metrics.filter(({ type }) => type !== "gauge").filter((metric) => !("over" in metric) || metric.over !== "each");

const labelled = (metric: Metric, worker: string | null): Metric => {
  if (metric.type === "histogram" || metric.over !== "each" || worker === null) return metric;
  return { ...metric, samples: metric.samples.map((one) => ({ ...one, labels: { ...one.labels, worker } })) };
};

/** Null where processes of two versions mean two things by one name: the first's stays. */
const both = (one: Metric, other: Metric): Metric | null => {
  if (one.type === "histogram") {
    const histogram = other.type === "histogram" ? bothHistograms(one.histogram, other.histogram) : null;
    return histogram && { ...one, histogram };
  }
  if (other.type !== one.type) return null;
  return { ...one, samples: bothSamples(one, other) };
};

const bothSamples = ({ samples, over = "sum" }: Sampled, other: Sampled): Sample[] => {
  const all = new Map<string, Sample>(samples.map((sample) => [keyOf(sample.labels), sample]));
  for (const sample of other.samples) {
    const key = keyOf(sample.labels);
    const before = all.get(key)?.value;
    const value =
      before === undefined ? sample.value : over === "max" ? Math.max(before, sample.value) : before + sample.value;
    all.set(key, { ...sample, value });
  }
  return [...all.values()];
};

const keyOf = (labels: MetricLabels = {}): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

const bothHistograms = (one: HistogramReading, other: HistogramReading): HistogramReading | null => {
  const isSame =
    one.buckets.length === other.buckets.length && one.buckets.every(([bound], at) => other.buckets[at]?.[0] === bound);
  if (!isSame) return null;
  return {
    buckets: one.buckets.map(([bound, count], at) => [bound, count + (other.buckets[at]?.[1] ?? 0)]),
    count: one.count + other.count,
    sum: one.sum + other.sum,
  };
};
