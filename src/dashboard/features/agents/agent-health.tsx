import type { AnswerTo } from "#dashboard/api/client";
import { Card } from "#dashboard/parts/card";
import { Chart, Sparkline } from "#dashboard/parts/chart";
import { Chip, spoken, toneOfBand } from "#dashboard/parts/chip";
import { countOf, numberOf, shareOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";
import { shownBand } from "#model/health/health";

type Health = AnswerTo<"GET /api/agents/:id/health">;
type Points = AnswerTo<"GET /api/agents/:id/health/trend">["data"];

const NAMES: Readonly<Record<string, string>> = {
  safety: "Safety",
  conformance: "Profile compliance",
  guard_fit: "False positives",
  reliability: "Reliability",
  governance: "Governance",
};

type Measure = Health["measures"][number];

/** What an input measures, in its own unit; nothing where there was nothing to measure. */
const measuredWords = ({ key, count, of }: Measure, explain: string, hasProfile: boolean): string | null => {
  if (of === null) return explain;
  if (of === 0 || (key === "conformance" && !hasProfile)) return null;
  if (key === "conformance") return `${shareOf(1 - count / of)} of ${countOf(of, "call")} within the profile`;
  if (key === "guard_fit") return `${shareOf(count / of)} of ${countOf(of, "block")} were false positives`;
  if (key === "reliability") return `${shareOf(count / of)} of ${countOf(of, "call")} failed`;
  return `${countOf(count, "confirmed miss", "confirmed misses")} in ${countOf(of, "call")}`;
};

const nothingWords = (key: string, hasProfile: boolean): string => {
  if (key === "conformance" && !hasProfile) return "No profile to comply with";
  return key === "guard_fit" ? "No blocks" : "No calls";
};

/** The cap of an agent without a profile. */
const UNGOVERNED = "ungoverned";

const CAPS: Readonly<Record<string, string>> = {
  open_critical: "Open critical miss report",
  open_high: "Open miss report of high severity",
  ungoverned: "Not reviewed yet",
  fail_open: "Texts passed unscanned today",
  drifting: "Drift detected",
  review_expired: "Review expired",
};

const toneOf = (score: number) => (score >= 0.85 ? "ok" : score >= 0.6 ? "warn" : "bad");

/** Not a percentage: points are no share of calls. What was measured stands beside them. */
const pointsOf = (score: number): string => `${Math.round(score * 100)} of 100 points`;

/** Score, its inputs and its caps. */
export const AgentHealth = ({ health, trend }: { readonly health: Health; readonly trend: Points }) => (
  <Card
    title="Health"
    hint={`${numberOf(health.window.calls)} calls of the last seven days`}
    actions={<Confidence of={health.confidence} />}
  >
    <div className="grid gap-6 md:grid-cols-[auto_1fr]">
      <div className="flex flex-col items-center gap-2">
        <Gauge health={health} />
        {trend.filter(({ score }) => score !== null).length > 1 && (
          <>
            <Sparkline
              values={trend.map(({ score }) => score).toReversed()}
              most={100}
              label="Score of the last seven days"
            />
            <p className="text-xs text-muted">seven days</p>
          </>
        )}
      </div>
      <Inputs health={health} />
    </div>
    {health.caps.length > 0 && (
      <ul aria-label="Caps of the score" className="mt-4 flex flex-col gap-2 border-t border-line pt-3">
        {health.caps.map(({ code, limit, since }) => (
          <li key={code} className="flex flex-wrap items-center gap-2">
            <Chip tone={code === UNGOVERNED ? "idle" : "warn"}>Capped at {limit}</Chip>
            <span>{CAPS[code] ?? spoken(code)}</span>
            <span className="text-[13px] text-muted">
              since <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Card>
);

/**
 * The inputs of the score: each with what was measured, in its own unit, and the points that gives. Where nothing was
 * measured, or too few calls for a score, there are no points and no bar.
 */
const Inputs = ({ health: { inputs, measures, health_score, caps } }: { readonly health: Health }) => {
  const hasScore = health_score !== null;
  const hasProfile = !caps.some(({ code }) => code === UNGOVERNED);
  const rows = inputs.map(({ key, score, weight, explain }) => {
    const measure = measures.find((one) => one.key === key);
    const words = measure ? measuredWords(measure, explain, hasProfile) : explain;
    const points = hasScore && words !== null ? score : null;
    return {
      key,
      name: NAMES[key] ?? spoken(key),
      words: words ?? nothingWords(key, hasProfile),
      points,
      weight,
      explain,
    };
  });
  return (
    <Chart
      summary={hasScore ? "Score: 65 % weighted mean + 35 % lowest input." : "There is no score below 50 calls."}
      table={{
        columns: ["Input", "Measured", "Points", "Weight"],
        rows: rows.map(({ name, words, points, weight }) => [
          name,
          words,
          points === null ? "–" : pointsOf(points),
          shareOf(weight),
        ]),
      }}
    >
      <ul className="flex flex-col gap-3">
        {rows.map(({ key, name, words, points, weight, explain }) => (
          <li key={key}>
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="font-medium">{name}</span>
              <span className="text-[13px] text-muted">
                {points === null ? "no points" : pointsOf(points)} · weight {shareOf(weight)}
              </span>
            </p>
            {points !== null && <PointsBar points={points} />}
            <p className="text-[13px] text-muted">{points !== null && points < 1 ? `${words}. ${explain}` : words}</p>
          </li>
        ))}
      </ul>
    </Chart>
  );
};

const POINT_FILLS = { ok: "bg-ok", warn: "bg-warn", bad: "bg-bad" } as const;

const PointsBar = ({ points }: { readonly points: number }) => (
  <span className="my-1 block h-2 overflow-hidden rounded-full bg-raised">
    <span
      className={`block h-full rounded-full ${POINT_FILLS[toneOf(points)]}`}
      style={{ width: `${points * 100}%` }}
    />
  </span>
);

const Confidence = ({ of }: { readonly of: string }) =>
  of === "high" ? null : <Chip>{of === "none" ? "too few calls for a score" : "low confidence: few calls"}</Chip>;

const STROKES: Readonly<Record<string, string>> = { ok: "var(--ok)", warn: "var(--warn)", bad: "var(--bad)" };

const Gauge = ({ health }: { readonly health: Health }) => {
  const { health_score } = health;
  const band = shownBand(
    health.band,
    health_score,
    health.caps.map(({ code }) => code),
  );
  const RADIUS = 46;
  const whole = Math.PI * RADIUS;
  const share = (health_score ?? 0) / 100;
  const words = health_score === null ? "No score yet" : `Health ${health_score} of 100: ${spoken(band)}`;
  return (
    <svg viewBox="0 0 120 76" className="w-44" role="img" aria-label={words}>
      <path d="M14 62 A46 46 0 0 1 106 62" fill="none" stroke="var(--line)" strokeWidth="10" strokeLinecap="round" />
      {health_score !== null && (
        <path
          d="M14 62 A46 46 0 0 1 106 62"
          fill="none"
          stroke={STROKES[toneOfBand(band)] ?? "var(--strong-line)"}
          strokeWidth="10"
          strokeLinecap="round"
          strokeDasharray={`${share * whole} ${whole}`}
        />
      )}
      <text x="60" y="56" textAnchor="middle" fontSize="26" fontWeight="600" fill="var(--text)">
        {health_score ?? "–"}
      </text>
      <text x="60" y="72" textAnchor="middle" fontSize="9.5" fill="var(--muted)">
        {health_score === null ? "no score yet" : spoken(band)}
      </text>
    </svg>
  );
};
