import { useParams } from "@tanstack/react-router";
import { InboxBar } from "#dashboard/features/inbox/inbox-place";
import { SeenHere } from "#dashboard/features/notices/notices";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { useGet } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { TuningActions } from "./tuning-actions";
import { TuningApprovalCard } from "./tuning-approval";
import { TuningDiff } from "./tuning-diff";
import { TuningImpact } from "./tuning-impact";
import { TuningTimeline } from "./tuning-timeline";
import { EffectChip, kindName, type OpenSuggestion, subjectOf } from "./tuning-words";

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
    <InboxBar kind="tuning" id={it.id} since={it.approval?.requested_at ?? null} />
    <SeenHere id={it.id} />
    <TuningTimeline it={it} />
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <TuningDiff it={it} />
        <Card
          title="Impact on past calls"
          hint={`The last ${numberOf(it.impact.window_days)} days and the test set, re-evaluated.`}
        >
          <TuningImpact impact={it.impact} />
        </Card>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <TuningApprovalCard it={it} />
        <Evidence ids={it.report_ids} />
        <Card title="Details">
          <ChangeFacts it={it} />
        </Card>
      </div>
    </div>
  </Page>
);

const Evidence = ({ ids }: { readonly ids: readonly string[] }) => (
  <Card title={`Evidence (${numberOf(ids.length)})`} hint="Reports behind this suggestion.">
    {ids.length === 0 ? (
      <p className="text-muted">Created manually, without a report.</p>
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
      ["ID", <Id key="id" value={it.id} />],
      [
        "Scope",
        it.agent_id ? (
          <TextLink key="agent" to={`/agents/${it.agent_id}`}>
            {it.agent}
          </TextLink>
        ) : (
          subjectOf(it)
        ),
      ],
      ["Created", <Time key="made" at={it.created_at} plain />],
      ["By", it.created_by ?? "hub, from a report"],
      ["Changed", <Time key="changed" at={it.updated_at} plain />],
      ["Policy revision", numberOf(it.base_revision)],
      ["Content hash", <Id key="hash" value={it.content_hash} />],
      [
        "Rule",
        it.rule_id && (
          <TextLink key="rule" to={`/tuning/rules?rule=${it.rule_id}`}>
            View rule
          </TextLink>
        ),
      ],
    ]}
  />
);

export default ChangeScreen;
