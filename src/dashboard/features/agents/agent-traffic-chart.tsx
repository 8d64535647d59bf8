import type { AnswerTo } from "#dashboard/api/client";
import { Chart } from "#dashboard/parts/chart";
import { LOCALE, roughly, shareOf } from "#dashboard/parts/numbers";

type Traffic = AnswerTo<"GET /api/agents/:id/traffic">;
type Bucket = Traffic["series"][number];

const WIDTH = 720;
const HEIGHT = 140;
const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** What became of calls, from the bottom of a bar to its top. */
const PARTS: readonly (readonly [name: string, colour: string, count: (bucket: Bucket) => number])[] = [
  ["Passed", "var(--accent)", ({ allow, flag }) => allow + flag],
  ["Redacted", "var(--warn)", ({ redact }) => redact],
  ["Blocked", "var(--bad)", ({ block }) => block],
  ["Refused or failed", "var(--strong-line)", ({ refused, error }) => refused + error],
];

/** Calls by what became of them, one bar a bucket. */
export const AgentTrafficChart = ({ data }: { readonly data: Traffic }) => {
  const { series, totals, block_rate } = data;
  const nameOf = (bucket: Bucket): string => (data.bucket_seconds < 86_400 ? hour : day).format(new Date(bucket.at));
  const most = Math.max(1, ...series.map(({ calls }) => calls));
  return (
    <Chart
      summary={`${roughly(totals.calls)} calls, ${roughly(totals.block)} blocked${block_rate === null ? "" : ` (${shareOf(block_rate)})`}; at most ${roughly(most)} a bar.`}
      table={{
        columns: ["From", "Calls", ...PARTS.map(([name]) => name)],
        rows: series
          .filter(({ calls }) => calls > 0)
          .map((bucket) => [nameOf(bucket), bucket.calls, ...PARTS.map(([, , count]) => count(bucket))]),
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-36 w-full" aria-hidden="true">
        {series.map((bucket, at) => (
          <BarOf key={bucket.at} bucket={bucket} at={at} width={WIDTH / series.length} most={most} />
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      </svg>
      <p className="flex justify-between text-xs text-muted">
        <span>{series[0] && nameOf(series[0])}</span>
        <span>now</span>
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 text-[13px] text-muted">
        {PARTS.map(([name, colour]) => (
          <li key={name} className="inline-flex items-center gap-1.5">
            <span className="size-2.5 rounded-sm" style={{ background: colour }} aria-hidden />
            {name}
          </li>
        ))}
      </ul>
    </Chart>
  );
};

const BarOf = ({
  bucket,
  at,
  width,
  most,
}: {
  readonly bucket: Bucket;
  readonly at: number;
  readonly width: number;
  readonly most: number;
}) => {
  let below = 0;
  return (
    <>
      {PARTS.map(([name, colour, count]) => {
        const height = (count(bucket) / most) * (HEIGHT - 4);
        below += height;
        return (
          <rect
            key={name}
            x={at * width + width * 0.1}
            y={HEIGHT - below}
            width={width * 0.8}
            height={height}
            fill={colour}
          />
        );
      })}
    </>
  );
};
