import { Chart } from "./chart";
import { spanOf } from "./time";

const BINS = 24;
const WIDTH = 480;
const HEIGHT = 120;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

/** How often something took how long. `values` in milliseconds; the slowest twentieth shares the last bar. */
export const Histogram = ({ values, what }: { readonly values: readonly number[]; readonly what: string }) => {
  const sorted = values.toSorted((one, other) => one - other);
  const low = sorted[0] ?? 0;
  const high = Math.max(quantile(sorted, 0.95), low * 1.001, Number.MIN_VALUE);
  const width = (high - low) / BINS;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const value of sorted) {
    const bin = Math.min(BINS - 1, Math.floor((value - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts, 1);
  const [p50, p95] = [quantile(sorted, 0.5), quantile(sorted, 0.95)];
  return (
    <Chart
      summary={`${what}: median ${spanOf(p50)}, p95 ${spanOf(p95)}, of ${values.length}.`}
      table={{
        columns: ["From", "To", "Count"],
        rows: counts.map((count, bin) => [spanOf(low + bin * width), spanOf(low + (bin + 1) * width), count]),
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} className="w-full max-w-xl text-accent" aria-hidden="true">
        {counts.map((count, bin) => {
          const height = (count / most) * HEIGHT;
          const x = (bin * WIDTH) / BINS;
          return (
            <rect
              key={`${x}`}
              x={x + 1}
              y={HEIGHT - height}
              width={WIDTH / BINS - 2}
              height={height}
              rx="2"
              fill="currentColor"
            />
          );
        })}
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} stroke="var(--line)" />
        <text x="0" y={HEIGHT + 14} fontSize="11" fill="var(--muted)">
          {spanOf(low)}
        </text>
        <text x={WIDTH} y={HEIGHT + 14} fontSize="11" fill="var(--muted)" textAnchor="end">
          {spanOf(high)}
        </text>
      </svg>
    </Chart>
  );
};
