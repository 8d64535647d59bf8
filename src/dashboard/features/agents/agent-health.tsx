import type { AnswerTo } from "#dashboard/api/client";
import { Bars } from "#dashboard/parts/bars";
import { Card } from "#dashboard/parts/card";
import { Chart, Sparkline } from "#dashboard/parts/chart";
import { Chip, spoken, toneOfBand } from "#dashboard/parts/chip";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";

type Health = AnswerTo<"GET /api/agents/:id/health">;
type Points = AnswerTo<"GET /api/agents/:id/health/trend">["data"];

const NAMES: Readonly<Record<string, string>> = {
  safety: "Safety",
  conformance: "Profile compliance",
  guard_fit: "Block accuracy",
  reliability: "Reliability",
  governance: "Governance",
};

const CAPS: Readonly<Record<string, string>> = {
  open_critical: "Open critical miss report",
  open_high: "Open miss report of high severity",
  ungoverned: "Not reviewed yet",
  fail_open: "Texts passed unscanned today",
  drifting: "Drift detected",
  review_expired: "Review expired",
};

const toneOf = (score: number) => (score >= 0.85 ? "ok" : score >= 0.6 ? "warn" : "bad");

/** Not a percentage: the score is not a share of calls. The sentence beside it has those. */
const pointsOf = (score: number): string => `${Math.round(score * 100)} of 100`;

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
        {trend.some(({ score }) => score !== null) && (
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
      <Chart
        summary="Score: 65 % weighted mean + 35 % lowest score."
        table={{
          columns: ["Input", "Score", "Weight", "Explanation"],
          rows: health.inputs.map(({ key, score, weight, explain }) => [
            NAMES[key] ?? spoken(key),
            pointsOf(score),
            shareOf(weight),
            explain,
          ]),
        }}
      >
        <Bars
          most={1}
          bars={health.inputs.map(({ key, score, weight }) => ({
            name: NAMES[key] ?? spoken(key),
            value: score,
            text: `${pointsOf(score)} · weight ${shareOf(weight)}`,
            tone: toneOf(score),
          }))}
        />
        <ul className="mt-3 flex flex-col gap-1 text-[13px] text-muted">
          {health.inputs
            .filter(({ score }) => score < 1)
            .map(({ key, explain }) => (
              <li key={key}>
                <span className="font-medium text-text">{NAMES[key] ?? spoken(key)}:</span> {explain}
              </li>
            ))}
        </ul>
      </Chart>
    </div>
    {health.caps.length > 0 && (
      <ul aria-label="Caps of the score" className="mt-4 flex flex-col gap-2 border-t border-line pt-3">
        {health.caps.map(({ code, limit, since }) => (
          <li key={code} className="flex flex-wrap items-center gap-2">
            <Chip tone="warn">Capped at {limit}</Chip>
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

const Confidence = ({ of }: { readonly of: string }) =>
  of === "high" ? null : <Chip>{of === "none" ? "too few calls for a score" : "low confidence: few calls"}</Chip>;

const STROKES: Readonly<Record<string, string>> = { ok: "var(--ok)", warn: "var(--warn)", bad: "var(--bad)" };

const Gauge = ({ health: { health_score, band } }: { readonly health: Health }) => {
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
          stroke={STROKES[toneOfBand(band)] ?? "var(--accent)"}
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
