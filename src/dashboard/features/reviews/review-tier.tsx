import { Card } from "#dashboard/parts/card";
import { Chip, spoken, type Tone } from "#dashboard/parts/chip";
import { requiredApprovals } from "#policy/review/approvals";
import type { Risk } from "#policy/review/review";

const NAMES: Readonly<Record<string, string>> = {
  autonomy: "Autonomy",
  audience: "Audience",
  data: "Data sensitivity",
  tools: "Tool impact",
  egress: "Link policy",
};
const MAX_POINTS: Readonly<Record<string, number>> = { autonomy: 4, audience: 4, data: 5, tools: 4, egress: 3 };
const TONES: Readonly<Record<Risk["tier"], Tone>> = { low: "ok", medium: "info", high: "warn", critical: "bad" };
const TOP = 20;
/** Where the tiers begin, on the scale. */
const MARKS = [5, 10, 15] as const;
const PLENTY = 9;

export const TierChip = ({ tier }: { readonly tier: Risk["tier"] | null }) =>
  tier ? <Chip tone={TONES[tier]}>{tier}</Chip> : <span className="text-muted">not set</span>;

/** The tier, with the sum it comes from. */
export const TierMeter = ({
  risk,
  open = [],
  required,
}: {
  readonly risk: Risk;
  /** What is not answered yet. */
  readonly open?: readonly string[];
  /** Approvals it takes, where that is settled: never more than there are people who could give one. */
  readonly required?: number | null;
}) => {
  const approvals = required ?? requiredApprovals(risk.tier, PLENTY);
  return (
    <Card title="Risk tier" actions={<TierChip tier={risk.tier} />}>
      <div className="flex flex-col gap-3">
        <div
          role="img"
          aria-label={`${risk.points} of ${TOP} points: ${risk.tier}`}
          className="relative h-2.5 rounded-full bg-raised"
        >
          <span
            className="block h-full rounded-full bg-accent transition-[width]"
            style={{ width: `${(risk.points / TOP) * 100}%` }}
          />
          {MARKS.map((at) => (
            <span
              key={at}
              className="absolute top-0 h-full w-px bg-strong-line"
              style={{ left: `${(at / TOP) * 100}%` }}
            />
          ))}
        </div>
        <table className="w-full text-left">
          <thead className="sr-only">
            <tr>
              <th scope="col">Factor</th>
              <th scope="col">Points</th>
            </tr>
          </thead>
          <tbody>
            {risk.parts.map(({ name, answer, points }) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className="py-1 font-normal">
                  {NAMES[name] ?? name}
                  <span className="block text-[13px] text-muted">
                    {open.includes(name) ? "not answered" : spoken(answer)}
                  </span>
                </th>
                <td className="py-1 text-right whitespace-nowrap">
                  {open.includes(name) ? "?" : points} <span className="text-muted">of {MAX_POINTS[name] ?? "?"}</span>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" className="pt-1 font-medium">
                Total
              </th>
              <td className="pt-1 text-right font-medium whitespace-nowrap">
                {risk.points} <span className="font-normal text-muted">of {TOP}</span>
              </td>
            </tr>
          </tfoot>
        </table>
        <p className="text-[13px] text-muted">0–4 is low, 5–9 medium, 10–14 high, 15 and more critical.</p>
        {risk.raised && <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">{risk.raised}</p>}
        <p className="text-[13px] text-muted">
          {approvals === 1 ? "One approval required" : `${approvals} approvals required`}
          {risk.tier === "critical" && ", one by an administrator"}.
        </p>
      </div>
    </Card>
  );
};
