import type { AnswerTo } from "#dashboard/api/client";
import { Chart } from "#dashboard/parts/chart";
import { StateChip, spoken } from "#dashboard/parts/chip";
import { numberOf, shareOf } from "#dashboard/parts/numbers";

export type FeatureDrift = AnswerTo<"GET /api/agents/:id/health">["drift"]["features"][number];

const NAMES: Readonly<Record<string, string>> = {
  model: "Models",
  tool: "Tools",
  flags: "Findings",
  finish_reason: "Finish reasons",
  prompt_tokens: "Prompt length in tokens",
  output_tokens: "Output length in tokens",
  hour_of_day: "Time of day (UTC)",
};

/** Bins that come in an order of their own, whatever is most frequent. */
const ORDERED: readonly string[] = ["prompt_tokens", "output_tokens", "hour_of_day"];
const HOURS_A_BIN = 4;

const clock = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

/** Sizes come as powers of two, times of the day as the sixth of it. */
const binName = (feature: string, name: string): string => {
  const number = Number(name);
  if (name === "other") return feature === "flags" ? "other findings" : "others";
  if (!ORDERED.includes(feature) || !Number.isInteger(number))
    return feature === "flags" && name === "none" ? "no findings" : name;
  if (feature === "hour_of_day") return `${clock(number * HOURS_A_BIN)} to ${clock((number + 1) * HOURS_A_BIN)}`;
  return number === 0 ? "up to 1" : `${numberOf(2 ** number)} to ${numberOf(2 ** (number + 1) - 1)}`;
};

const inOrder = (feature: string, bins: FeatureDrift["bins"]): FeatureDrift["bins"] =>
  ORDERED.includes(feature)
    ? [...bins].sort((a, b) => (a.name === "other" ? 1 : b.name === "other" ? -1 : Number(a.name) - Number(b.name)))
    : bins;

/** One mix of what an agent does: in the baseline above, now below. */
export const DriftFeature = ({
  feature: { feature, level, psi, watch_at, drifting_at, bins },
}: {
  readonly feature: FeatureDrift;
}) => {
  const before = bins.reduce((sum, { baseline }) => sum + baseline, 0);
  const now = bins.reduce((sum, { current }) => sum + current, 0);
  const rows = inOrder(feature, bins).map(({ name, baseline, current }) => ({
    name: binName(feature, name),
    before: before === 0 ? 0 : baseline / before,
    now: now === 0 ? 0 : current / now,
  }));
  const title = NAMES[feature] ?? spoken(feature);
  return (
    <section aria-label={title} className="border-t border-line pt-3">
      <h3 className="mb-2 flex flex-wrap items-center gap-2 font-medium">
        {title} <StateChip of={level} />
      </h3>
      <Chart
        summary={`Index ${psi.toFixed(2)}: watch at ${watch_at.toFixed(2)}, drifting at ${drifting_at.toFixed(2)}.`}
        table={{
          columns: ["Value", "Baseline", "Now"],
          rows: rows.map((row) => [row.name, shareOf(row.before), shareOf(row.now)]),
        }}
      >
        <ul className="grid grid-cols-[minmax(5.5rem,30%)_1fr_auto_auto_auto] gap-x-2 gap-y-2">
          {rows.map((row) => (
            <li key={row.name} className="col-span-full grid grid-cols-subgrid items-center">
              <span className="truncate" title={row.name}>
                {row.name}
              </span>
              <span className="flex flex-col gap-0.5">
                <Share of={row.before} style="bg-strong-line" />
                <Share of={row.now} style="bg-accent" />
              </span>
              <span className="text-right text-[13px] text-muted">{shareOf(row.before)}</span>
              <span className="text-[13px] text-muted">→</span>
              <span className="text-right text-[13px]">{shareOf(row.now)}</span>
            </li>
          ))}
        </ul>
      </Chart>
    </section>
  );
};

const Share = ({ of, style }: { readonly of: number; readonly style: string }) => (
  <span className="block h-1.5 overflow-hidden rounded-full bg-raised">
    <span className={`block h-full rounded-full ${style}`} style={{ width: `${of * 100}%` }} />
  </span>
);

/** Which bar is which, once for all of them. */
export const DriftLegend = () => (
  <p className="flex flex-wrap gap-x-4 text-[13px] text-muted">
    <span className="inline-flex items-center gap-1.5">
      <span className="h-1.5 w-5 rounded-full bg-strong-line" aria-hidden />
      baseline, above
    </span>
    <span className="inline-flex items-center gap-1.5">
      <span className="h-1.5 w-5 rounded-full bg-accent" aria-hidden />
      now, below
    </span>
  </p>
);
