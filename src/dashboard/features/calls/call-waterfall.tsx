import { Chart } from "#dashboard/parts/chart";
import { spanOf } from "#dashboard/parts/time";
import type { Call } from "./call-content";

const NAMES = {
  scan_in: "Request scan",
  upstream: "Provider",
  scan_out: "Response scan",
  other: "Overhead",
} as const;
const FILLS = { scan_in: "bg-accent", upstream: "bg-strong-line", scan_out: "bg-accent", other: "bg-line" } as const;

/** What took how long, one after the other. */
export const Waterfall = ({ timings }: { readonly timings: NonNullable<Call["timings"]> }) => {
  const whole = Math.max(timings.total_ms, Number.MIN_VALUE);
  const share = (ms: number): string => `${Math.min(100, (ms / whole) * 100)}%`;
  return (
    <Chart
      summary={`${spanOf(timings.total_ms)} total: ${spanOf(timings.upstream_ms)} provider, ${spanOf(timings.guard_ms)} scanning.`}
      table={{
        columns: ["Part", "Start", "Duration"],
        rows: timings.parts.map(({ part, offset_ms, ms }) => [NAMES[part], spanOf(offset_ms), spanOf(ms)]),
      }}
    >
      <div className="flex flex-col gap-1.5">
        {timings.parts.map(({ part, offset_ms, ms }) => (
          <div key={part} className="grid grid-cols-[11rem_1fr_5rem] items-center gap-2">
            <span className="truncate">{NAMES[part]}</span>
            <span className="relative h-3 rounded bg-raised">
              <span
                className={`absolute h-full min-w-0.5 rounded ${FILLS[part]}`}
                style={{ left: share(offset_ms), width: share(ms) }}
              />
            </span>
            <span className="text-right text-[13px] text-muted">{spanOf(ms)}</span>
          </div>
        ))}
      </div>
    </Chart>
  );
};
