import { Bars } from "#dashboard/parts/bars";
import { Chart } from "#dashboard/parts/chart";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import type { OpenSuggestion } from "./tuning-words";

/** What a change would have done to the calls of the last days. */
export const TuningImpact = ({ impact }: { readonly impact: OpenSuggestion["impact"] }) => {
  const { window_days, decisions, would_change, would_release_confirmed, coverage } = impact;
  if (window_days === 0) {
    return <p className="text-muted">Changes an existing rule: see the hits of the rule.</p>;
  }
  const rows = [
    ["Matching decisions", decisions],
    ["Changed", would_change],
    ["New false negatives", would_release_confirmed],
  ] as const;
  return (
    <>
      <Chart
        summary={`${numberOf(would_change)} of ${numberOf(decisions)} decisions would change; ${shareOf(coverage)} of them could be re-evaluated.`}
        table={{
          columns: ["Measure", "Count"],
          rows: [...rows, ["Re-evaluated", shareOf(coverage)]],
        }}
      >
        <div className="flex flex-col gap-4">
          <Bars
            most={decisions}
            bars={rows.map(([name, value], at) => ({
              name,
              value,
              text: numberOf(value),
              tone: at === 2 ? ("bad" as const) : at === 1 ? ("warn" as const) : ("accent" as const),
            }))}
          />
          <Bars most={1} bars={[{ name: "Coverage", value: coverage, text: shareOf(coverage), tone: "ok" }]} />
        </div>
      </Chart>
      {would_release_confirmed > 0 && (
        <p role="status" className="mt-3 rounded-md bg-bad-soft px-3 py-2 text-bad">
          The change would release a confirmed finding and cannot be applied.
        </p>
      )}
    </>
  );
};
