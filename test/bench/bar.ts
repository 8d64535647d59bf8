import type { Row } from "./summary.ts";
import { figure, table } from "./table.ts";

/** A bar the hub should clear, held against what a run measured. */
export type Bar<Measured> = {
  readonly name: string;
  readonly limit: number;
  readonly better: "higher" | "lower";
  readonly decimals: number;
  /** Undefined: not part of this run. NaN: part of it, but could not be measured. */
  measure(measured: Measured): number | undefined;
};

export type Verdict = {
  readonly name: string;
  readonly limit: string;
  readonly measured: string;
  /** Null where it was not measured. */
  readonly value: number | null;
  readonly better: "higher" | "lower";
  readonly verdict: "met" | "missed" | "not measured";
};

/** Holds what was measured against every bar. */
export function judge<Measured>(bars: readonly Bar<Measured>[], measured: Measured): Verdict[] {
  return bars.map((bar) => {
    const value = bar.measure(measured);
    return {
      name: bar.name,
      limit: `${bar.better === "higher" ? "≥" : "≤"} ${bar.limit.toFixed(bar.decimals)}`,
      measured: figure(value, bar.decimals),
      value: value === undefined || Number.isNaN(value) ? null : value,
      better: bar.better,
      verdict: verdictOn(bar, value),
    };
  });
}

function verdictOn<Measured>({ better, limit }: Bar<Measured>, value: number | undefined): Verdict["verdict"] {
  if (value === undefined || Number.isNaN(value)) return "not measured";
  const met = better === "higher" ? value >= limit : value <= limit;
  return met ? "met" : "missed";
}

export function verdictText(verdicts: readonly Verdict[]): string {
  return table(
    ["target", "limit", "measured", ""],
    verdicts.map(({ name, limit, measured, verdict }) => [name, limit, measured, verdict]),
  );
}

export function atLeast<Measured>(name: string, limit: number, measure: Bar<Measured>["measure"]): Bar<Measured> {
  return { name, limit, better: "higher", decimals: 2, measure };
}

export function atMost<Measured>(
  name: string,
  limit: number,
  decimals: number,
  measure: Bar<Measured>["measure"],
): Bar<Measured> {
  return { name, limit, better: "lower", decimals, measure };
}

/** A figure of one row. */
export function row(
  shape: Row["shape"],
  concurrency: number,
  target: Row["target"],
  field: "toPass" | "cpuMicros" | "cpuToPass" | "addedFirstText" | "addedP50",
): Bar<{ readonly rows: readonly Row[] }>["measure"] {
  return ({ rows }) =>
    rows.find((found) => found.shape === shape && found.concurrency === concurrency && found.target === target)?.[
      field
    ];
}
