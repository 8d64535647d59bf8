import { Chart } from "#dashboard/parts/chart";
import { spoken } from "#dashboard/parts/chip";
import type { ItemOf } from "#dashboard/parts/hooks";
import { countOf, LOCALE } from "#dashboard/parts/numbers";

type Restriction = ItemOf<"GET /api/agents/:id/restrictions">;

const DAY_MS = 86_400_000;
/** What is shown: the week behind, and a day ahead. */
const BEHIND_MS = 7 * DAY_MS;
const AHEAD_MS = DAY_MS;
const SPAN_MS = BEHIND_MS + AHEAD_MS;
const ROW = 18;
const WIDTH = 320;
/** A bar that can be seen, however short the restriction was. */
const THINNEST = 3;

const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

const endOf = ({ lift, expires_at }: Restriction): number =>
  lift ? Date.parse(lift.at) : expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

/** Which restrictions held when: the week behind and the day ahead, a line for each kind. */
export const RestrictionTimeline = ({ of: all }: { readonly of: readonly Restriction[] }) => {
  const now = Date.now();
  const from = now - BEHIND_MS;
  const shown = all.filter((one) => endOf(one) > from);
  if (shown.length === 0) return null;
  const kinds = [...new Set(shown.map(({ kind }) => kind))];
  const x = (at: number) => (Math.min(Math.max(at - from, 0), SPAN_MS) / SPAN_MS) * WIDTH;
  const height = kinds.length * ROW + 14;
  const inForce = shown.filter(({ in_force }) => in_force).length;
  return (
    <Chart
      summary={`${countOf(shown.length, "restriction")} in the last seven days, ${inForce} in force.`}
      table={{
        columns: ["Restriction", "From", "Until"],
        rows: shown.map((one) => [
          spoken(one.kind),
          moment.format(new Date(one.starts_at)),
          Number.isFinite(endOf(one)) ? moment.format(endOf(one)) : "until lifted",
        ]),
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${height}`} className="w-full" aria-hidden="true">
        {kinds.map((kind, row) => (
          <g key={kind}>
            <text x="0" y={row * ROW + 8} fontSize="8.5" fill="var(--muted)">
              {spoken(kind)}
            </text>
            <line x1="0" x2={WIDTH} y1={row * ROW + 14} y2={row * ROW + 14} stroke="var(--line)" />
            {shown
              .filter((one) => one.kind === kind)
              .map((one) => (
                <rect
                  key={one.id}
                  x={Math.min(x(Date.parse(one.starts_at)), WIDTH - THINNEST)}
                  width={Math.max(x(endOf(one)) - x(Date.parse(one.starts_at)), THINNEST)}
                  y={row * ROW + 11.5}
                  height="5"
                  rx="1.5"
                  fill={one.in_force ? "var(--warn)" : "var(--strong-line)"}
                />
              ))}
          </g>
        ))}
        <line x1={x(now)} x2={x(now)} y1="0" y2={height - 10} stroke="var(--accent)" strokeDasharray="2 2" />
        <text x="0" y={height - 1} fontSize="8.5" fill="var(--muted)">
          {day.format(from)}
        </text>
        <text x={x(now)} y={height - 1} fontSize="8.5" textAnchor="middle" fill="var(--text)">
          now
        </text>
      </svg>
    </Chart>
  );
};
