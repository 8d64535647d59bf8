import { useNavigate } from "@tanstack/react-router";
import type { AnswerTo } from "#dashboard/api/client";
import type { ChartSeries } from "#dashboard/parts/chart-data";
import { chosenOf, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { countOf, roughly, shareOf, usdOf } from "#dashboard/parts/numbers";
import { CustomTimes } from "#dashboard/parts/period";
import { Segments } from "#dashboard/parts/segments";
import { TimeChart } from "#dashboard/parts/time-chart";

export type Traffic = Omit<AnswerTo<"GET /api/traffic">, "object">;

const WINDOWS = [
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
] as const;
const CUSTOM = { value: "custom", label: "Custom range" } as const;
const COMPARED = [
  { value: "", label: "No comparison" },
  { value: "before", label: "Period before" },
] as const;
const GROUPS = [
  { value: "decision", label: "Decisions" },
  { value: "agent", label: "Agents" },
  { value: "model", label: "Models" },
  { value: "finding", label: "Findings" },
] as const;
const MEASURES = [
  { value: "calls", label: "Calls" },
  { value: "cost", label: "Cost" },
] as const;

/** Of the viewer's clock, by which days begin. */
const TIME_ZONE: string = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
const DAY_MS = 86_400_000;

/** Which time is shown, beside what, and by what calls are told apart: in the address. */
export const useTrafficView = () => {
  const { values, set } = useFilters(["window", "from", "to", "compare", "by", "measure"]);
  const { from, to } = values;
  const span = from !== undefined && to !== undefined ? { from, to } : null;
  const window = chosenOf(WINDOWS, values.window) ?? "24h";
  const by = chosenOf(GROUPS, values.by) ?? "decision";
  const measure = by === "finding" ? "calls" : (chosenOf(MEASURES, values.measure) ?? "calls");
  const isCompared = values.compare === "before";
  const query = {
    ...(span ?? { window }),
    time_zone: TIME_ZONE,
    ...(isCompared && { compare: "before" as const }),
    ...(by !== "decision" && { by, measure }),
  };
  return { span, window, by, measure, isCompared, set, query };
};
export type TrafficView = ReturnType<typeof useTrafficView>;

/** Chooses the period, and whether the one before is shown beside it. */
export const PeriodControls = ({ view: { span, window, isCompared, set } }: { readonly view: TrafficView }) => (
  <>
    <FilterChoice
      label="Period"
      value={span ? CUSTOM.value : window}
      onChange={(next) => {
        if (next !== CUSTOM.value) return set({ window: next, from: "", to: "" });
        const now = Date.now();
        set({ window: "", from: new Date(now - DAY_MS).toISOString(), to: new Date(now).toISOString() });
      }}
      choices={[...WINDOWS, CUSTOM]}
      required
    />
    {span && <CustomTimes key={`${span.from} ${span.to}`} {...span} isWhole onApply={set} />}
    <FilterChoice
      label="Compare with"
      value={isCompared ? "before" : ""}
      onChange={(compare) => set({ compare })}
      choices={COMPARED}
      required
    />
  </>
);

/** What became of calls, from the axis upwards. Held calls are blocked ones that a person has to approve first. */
const DECISIONS = [
  { name: "Allowed", colour: "--chart-1", of: ({ allow }) => allow },
  { name: "Flagged", colour: "--chart-2", of: ({ flag }) => flag },
  { name: "Redacted", colour: "--chart-3", of: ({ redact }) => redact },
  { name: "Held", colour: "--chart-4", of: ({ held }) => held },
  { name: "Blocked", colour: "--chart-5", of: ({ block, held }) => block - held },
  { name: "Refused", colour: "--chart-6", of: ({ refused }) => refused },
  { name: "Failed", colour: "--chart-8", of: ({ error }) => error },
] as const satisfies readonly { name: string; colour: string; of: (bucket: Traffic["series"][number]) => number }[];

const GROUP_COLOURS = ["--chart-1", "--chart-2", "--chart-3", "--chart-4", "--chart-7", "--chart-8"] as const;
const OTHER = "--chart-6";

const seriesOf = ({ series, groups }: Traffic, { by, measure }: TrafficView): ChartSeries[] => {
  if (by !== "decision")
    return groups.map(({ id, name, values }, index) => ({
      ...{ name, values },
      colour: id === null ? OTHER : (GROUP_COLOURS[index] ?? OTHER),
    }));
  if (measure === "cost") return [{ name: "Cost", colour: "--chart-1", values: series.map((one) => one.cost_usd) }];
  return DECISIONS.map(({ name, colour, of }) => ({ name, colour, values: series.map(of) }));
};

/** `120 calls, 3 blocked (2.5%), 1 of them held, $0.42`: rate and counts are of the same calls. */
const countedText = ({ totals, block_rate }: Pick<Traffic, "totals" | "block_rate">): string => {
  const rate = block_rate === null ? "" : ` (${shareOf(block_rate)})`;
  const held = totals.held > 0 ? `, ${roughly(totals.held)} of them held` : "";
  return `${countOf(totals.calls, "call")}, ${roughly(totals.block)} blocked${rate}${held}, ${usdOf(totals.cost_usd)}`;
};

const summaryOf = (traffic: Traffic, { by }: TrafficView): string => {
  const before = traffic.previous ? ` Period before: ${countedText(traffic.previous)}.` : "";
  const without = by !== "decision" && traffic.groups.length === 0 ? " Nothing to tell apart in this period." : "";
  return `${countedText(traffic)}.${before}${without}`;
};

const moments = (series: Traffic["series"]): number[] => series.map(({ at }) => Date.parse(at));

/** Calls or costs over time, stacked; a span of it leads to its calls, or is zoomed in on. `filter` goes with to the calls. */
export const TrafficChart = ({
  traffic,
  view,
  filter = {},
}: {
  readonly traffic: Traffic;
  readonly view: TrafficView;
  readonly filter?: Readonly<Record<string, string>>;
}) => {
  const navigate = useNavigate();
  const { series, previous, series_end } = traffic;
  const { by, measure, set } = view;
  const isCost = measure === "cost";
  const measured = (one: Traffic["series"][number]): number => (isCost ? one.cost_usd : one.calls);
  const between = ({ from, to }: { readonly from: number; readonly to: number }) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  return (
    <TimeChart
      summary={summaryOf(traffic, view)}
      starts={moments(series)}
      end={Date.parse(series_end)}
      series={seriesOf(traffic, view)}
      // A call may have several findings: their sum is no number of calls.
      total={by === "finding" || (by === "decision" && isCost) ? undefined : isCost ? "Cost" : "Calls"}
      before={
        previous && by !== "finding"
          ? { name: "Period before", starts: moments(previous.series), values: previous.series.map(measured) }
          : undefined
      }
      format={isCost ? usdOf : roughly}
      whole={!isCost}
      onSpan={{
        label: "View calls",
        run: (span) => void navigate({ to: "/calls", search: { ...filter, ...between(span) } }),
      }}
      onZoom={(span) => set({ window: "", ...between(span) })}
    />
  );
};

/** By what the chart tells calls apart, and whether it counts them or their cost. `without`: what makes no difference here. */
export const TrafficChoices = ({
  view: { by, measure, set },
  without,
}: {
  readonly view: TrafficView;
  readonly without?: TrafficView["by"];
}) => (
  <div className="flex flex-wrap gap-2">
    <Segments
      label="Show by"
      value={by}
      onChange={(next) => set({ by: next === "decision" ? "" : next })}
      choices={GROUPS.filter(({ value }) => value !== without)}
    />
    {by !== "finding" && (
      <Segments
        label="Measure"
        value={measure}
        onChange={(next) => set({ measure: next === "calls" ? "" : next })}
        choices={MEASURES}
      />
    )}
  </div>
);
