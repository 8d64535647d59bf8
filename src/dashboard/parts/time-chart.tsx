import { type ComponentProps, type ComponentType, lazy, Suspense } from "react";
import { Chart } from "./chart";
import { barsOf, type ChartData, spanOfBuckets, spanText, sumAt } from "./chart-data";
import { roughly } from "./numbers";
import { Loading } from "./states";
import type Drawn from "./time-plot";

/** Where the hub went away between the page and its chart: the rest of the page stays. */
const NoChart = () => <p className="text-muted">The chart could not be loaded. The table has the same data.</p>;

const TimePlot = lazy<ComponentType<ComponentProps<typeof Drawn>>>(() =>
  import("./time-plot").catch(() => ({ default: NoChart })),
);

/**
 * The chart of the dashboard for anything over time: stacked bars (`series`), lines (`kind: "line"`) and the period before
 * (`before`), with its values on hover, by touch and by arrow keys, a summary and the same as a table. Where `onSpan` is
 * given, a span can be selected: by dragging, by a click, or by Shift and arrow keys; it is told the span in Unix
 * milliseconds, such as to open `/calls` of it; `onZoom` adds a button that shows it alone. Draws with uPlot, which is loaded when a chart is first shown.
 *
 *     <TimeChart
 *       summary="120 calls, 3 blocked (2.5 %)."
 *       starts={[…]} end={…} total="Calls"
 *       series={[{ name: "Allowed", colour: "--chart-1", values: [4, 0, 7] }]}
 *       onSpan={{ label: "View calls", run: ({ from, to }) => … }}
 *     />
 */
export const TimeChart = ({
  summary,
  format = roughly,
  height = 220,
  onSpan,
  onZoom,
  whole = true,
  ...data
}: ChartData & {
  /** A sentence that says what the chart shows. */
  readonly summary: string;
  /** How a value is written. */
  readonly format?: (value: number) => string;
  /** Pixels. */
  readonly height?: number;
  /** Whether values are counts: the axis has no tick between two. */
  readonly whole?: boolean;
  readonly onSpan?: ComponentProps<typeof Drawn>["onSpan"];
  readonly onZoom?: ComponentProps<typeof Drawn>["onZoom"];
}) => (
  <Chart live summary={summary} table={tableOf(data, format)}>
    <Suspense fallback={<Loading lines={5} />}>
      <TimePlot
        data={data}
        label={summary}
        format={format}
        height={height}
        whole={whole}
        onSpan={onSpan}
        onZoom={onZoom}
      />
    </Suspense>
  </Chart>
);

const tableOf = (data: ChartData, format: (value: number) => string) => {
  const { starts, series, before, total } = data;
  const bars = barsOf(data);
  const written = (value: number | null | undefined): string => (value == null ? "–" : format(value));
  const indexes = starts.map((_, index) => index);
  // Buckets without anything are left out: a table of the last hour is no list of empty minutes.
  const filled = indexes.filter((index) =>
    [...series, ...(before ? [before] : [])].some(({ values }) => (values[index] ?? 0) !== 0),
  );
  return {
    columns: ["Time", ...(total ? [total] : []), ...series.map(({ name }) => name), ...(before ? [before.name] : [])],
    rows: filled.map((index) => [
      spanText(spanOfBuckets(data, index, index)),
      ...(total ? [written(sumAt(bars, index))] : []),
      ...series.map(({ values }) => written(values[index])),
      ...(before ? [written(before.values[index])] : []),
    ]),
  };
};
