import { useParams } from "@tanstack/react-router";
import { useGet } from "#dashboard/api/hooks";
import { Bars } from "#dashboard/parts/bars";
import { Card, Facts } from "#dashboard/parts/card";
import { Chart } from "#dashboard/parts/chart";
import { StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { TuningActions } from "./tuning-actions";
import { TuningApprovalCard } from "./tuning-approval";
import { TuningDiff } from "./tuning-diff";
import { EffectChip } from "./tuning-effect";
import { TuningTimeline } from "./tuning-timeline";
import { kindName, type OpenSuggestion, subjectOf } from "./tuning-words";

const ChangeScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const suggestion = useGet("GET /api/tuning/:id", { params: { id } });
  return <Await query={suggestion}>{(data) => <Whole key={data.id} it={data} />}</Await>;
};

const Whole = ({ it }: { readonly it: OpenSuggestion }) => (
  <Page
    title={kindName(it.kind)}
    above={<TextLink to="/tuning">Tuning</TextLink>}
    chips={
      <>
        <StateChip of={it.status} />
        <EffectChip effect={it.effect} />
      </>
    }
    hint={it.rationale}
    actions={<TuningActions it={it} />}
  >
    <TuningTimeline it={it} />
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <TuningDiff it={it} />
        <Card
          title="What it would do to past calls"
          hint={`The last ${numberOf(it.impact.window_days)} days and the golden samples, judged again.`}
        >
          <Impact impact={it.impact} />
        </Card>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <TuningApprovalCard it={it} />
        <Evidence ids={it.report_ids} />
        <Card title="Facts">
          <ChangeFacts it={it} />
        </Card>
      </div>
    </div>
  </Page>
);

const Impact = ({ impact }: { readonly impact: OpenSuggestion["impact"] }) => {
  const { window_days, decisions, would_change, would_release_confirmed, coverage } = impact;
  if (window_days === 0) {
    return <p className="text-muted">It changes a rule that is there: what that does is what the rule has done.</p>;
  }
  const rows = [
    ["Could concern", decisions],
    ["Would change", would_change],
    ["Would let pass wrongly", would_release_confirmed],
  ] as const;
  return (
    <>
      <Chart
        summary={`${numberOf(would_change)} of ${numberOf(decisions)} decisions would change; ${shareOf(coverage)} of them could be judged again.`}
        table={{
          columns: ["What", "Count"],
          rows: [...rows, ["Could be judged again", shareOf(coverage)]],
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
          It would let pass something that is known to be caught rightly: so it can never be applied as it is.
        </p>
      )}
    </>
  );
};

const Evidence = ({ ids }: { readonly ids: readonly string[] }) => (
  <Card title={`Evidence (${numberOf(ids.length)})`} hint="The reports it was made for.">
    {ids.length === 0 ? (
      <p className="text-muted">Asked for by hand, without a report.</p>
    ) : (
      <ul className="flex flex-col gap-1">
        {ids.map((id, at) => (
          <li key={id}>
            <TextLink to={`/reports/${id}`}>Report {numberOf(at + 1)}</TextLink>
          </li>
        ))}
      </ul>
    )}
  </Card>
);

const ChangeFacts = ({ it }: { readonly it: OpenSuggestion }) => (
  <Facts
    rows={[
      ["Id", <Id key="id" value={it.id} />],
      [
        "For",
        it.agent_id ? (
          <TextLink key="agent" to={`/agents/${it.agent_id}`}>
            {it.agent}
          </TextLink>
        ) : (
          subjectOf(it)
        ),
      ],
      ["Made", <Time key="made" at={it.created_at} plain />],
      ["By", it.created_by ?? "the hub, from a report"],
      ["Changed", <Time key="changed" at={it.updated_at} plain />],
      ["Policy revision", numberOf(it.base_revision)],
      ["Content", <Id key="hash" value={it.content_hash} />],
      [
        "Rule",
        it.rule_id && (
          <TextLink key="rule" to={`/tuning/rules?rule=${it.rule_id}`}>
            see it in force
          </TextLink>
        ),
      ],
    ]}
  />
);

export default ChangeScreen;
