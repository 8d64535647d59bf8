import { growthBytes, type OpenStreams } from "./open-streams.ts";
import type { Starts } from "./starting.ts";
import type { Row } from "./summary.ts";
import { figure, table } from "./table.ts";

/** Everything a run measured; what was left out is undefined. */
export type Measured = {
  readonly rows: readonly Row[];
  readonly open?: OpenStreams | undefined;
  readonly idleBytes?: number | undefined;
  readonly starts?: Starts | undefined;
};

/** A bar the hub should clear. */
type Bar = {
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
  readonly verdict: "met" | "missed" | "not measured";
};

const BARS: readonly Bar[] = [
  atLeast("requests/s ÷ bare relay, full durability, c=64", 0.6, row("json", 64, "hub-full", "toPass")),
  atLeast("requests/s ÷ bare relay, full durability, c=16", 0.4, row("json", 16, "hub-full", "toPass")),
  atLeast("requests/s ÷ bare relay, normal durability, c=64", 0.7, row("json", 64, "hub-normal", "toPass")),
  atMost("CPU µs per request, full durability, c=64", 100, 1, row("json", 64, "hub-full", "cpuMicros")),
  atMost("CPU of paced streams ÷ bare relay", 2.5, 2, row("paced", 64, "hub-full", "cpuToPass")),
  atMost("added time to first text, paced streams, ms", 1, 2, row("paced", 64, "hub-full", "addedFirstText")),
  atMost("open streams lost", 0, 0, ({ open }) => (open === undefined ? undefined : open.wanted - open.open)),
  atMost(
    "memory growth under open streams, MB",
    10,
    1,
    inMegabytes(({ open }) => open && growthBytes(open)),
  ),
  atMost(
    "memory when idle, MB",
    80,
    0,
    inMegabytes(({ idleBytes }) => idleBytes),
  ),
  atMost("start to first answer, ms", 250, 0, ({ starts }) => starts?.median),
];

/** Holds what was measured against every bar. */
export function judge(measured: Measured): Verdict[] {
  return BARS.map((bar) => {
    const value = bar.measure(measured);
    return {
      name: bar.name,
      limit: `${bar.better === "higher" ? "≥" : "≤"} ${bar.limit.toFixed(bar.decimals)}`,
      measured: figure(value, bar.decimals),
      verdict: verdictOn(bar, value),
    };
  });
}

function verdictOn({ better, limit }: Bar, value: number | undefined): Verdict["verdict"] {
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

function atLeast(name: string, limit: number, measure: Bar["measure"]): Bar {
  return { name, limit, better: "higher", decimals: 2, measure };
}

function atMost(name: string, limit: number, decimals: number, measure: Bar["measure"]): Bar {
  return { name, limit, better: "lower", decimals, measure };
}

function inMegabytes(bytes: Bar["measure"]): Bar["measure"] {
  return (measured) => {
    const value = bytes(measured);
    return value === undefined ? undefined : value / 2 ** 20;
  };
}

function row(
  shape: Row["shape"],
  concurrency: number,
  target: Row["target"],
  field: "toPass" | "cpuMicros" | "cpuToPass" | "addedFirstText",
): Bar["measure"] {
  return ({ rows }) =>
    rows.find((found) => found.shape === shape && found.concurrency === concurrency && found.target === target)?.[
      field
    ];
}
