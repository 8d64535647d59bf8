/* Figures in Prometheus' text format 0.0.4, which every collector reads. */

export type MetricLabels = Readonly<Record<string, string>>;

export type Metric = {
  /** `guardhouse_calls_total`; of a histogram without `_bucket`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
} & (
  | {
      readonly type: "counter" | "gauge";
      /** How the figures of several processes are one; their sum where nothing is said. */
      readonly over?: Over;
      readonly samples: readonly { readonly labels?: MetricLabels; readonly value: number }[];
    }
  | { readonly type: "histogram"; readonly histogram: HistogramReading }
);

/** Their sum; the highest, of what all of them know; or each with the label `worker`. */
export type Over = "sum" | "max" | "each";

export type HistogramReading = {
  /** Upper bounds, rising, and how many were at or below each. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
};

/** Counts values into fixed buckets. */
export class Histogram {
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** `bounds`: rising. */
  constructor(private readonly bounds: readonly number[]) {
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#count += 1;
    this.#sum += value;
    const at = this.bounds.findIndex((bound) => value <= bound);
    const before = this.#counts[at];
    if (before !== undefined) this.#counts[at] = before + 1;
  }

  read(): HistogramReading {
    let below = 0;
    const buckets = this.bounds.map((bound, at): readonly [number, number] => {
      below += this.#counts[at] ?? 0;
      return [bound, below];
    });
    return { buckets, count: this.#count, sum: this.#sum };
  }
}

const escapedHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapedLabel = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

const numberText = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return Number.isNaN(value) ? "NaN" : String(value);
};

const line = (name: string, labels: MetricLabels, value: number): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapedLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberText(value)}\n`;
};

const linesOf = (metric: Metric): string => {
  const { name } = metric;
  if (metric.type !== "histogram") {
    return metric.samples.map(({ labels = {}, value }) => line(name, labels, value)).join("");
  }
  const { buckets, count, sum } = metric.histogram;
  const bounded = [...buckets, [Number.POSITIVE_INFINITY, count] as const].map(([bound, below]) =>
    line(`${name}_bucket`, { le: numberText(bound) }, below),
  );
  return `${bounded.join("")}${line(`${name}_sum`, {}, sum)}${line(`${name}_count`, {}, count)}`;
};

/** One metric after the other, each with what it is. */
export const metricsText = (metrics: readonly Metric[]): string =>
  metrics
    .map((metric) => {
      const { name, help, type } = metric;
      return `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n${linesOf(metric)}`;
    })
    .join("");

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
