import { useParams } from "@tanstack/react-router";
import { CallFindings } from "#dashboard/features/calls/call-findings";
import { InboxBar } from "#dashboard/features/inbox/inbox-place";
import { SeenHere } from "#dashboard/features/notices/notices";
import { Bars } from "#dashboard/parts/bars";
import { Card, Facts } from "#dashboard/parts/card";
import { Chip, StateChip, Tag } from "#dashboard/parts/chip";
import { CodeBlock, Id } from "#dashboard/parts/copy";
import { useGet } from "#dashboard/parts/hooks";
import { shareOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { ReportDecisionCard } from "./report-decision";
import { kindOf, type OpenReport, sectionName, wordsOf } from "./report-words";

const ReportScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const report = useGet("GET /api/reports/:id", { params: { id } });
  return <Await query={report}>{(data) => <Whole key={data.id} report={data} />}</Await>;
};

const Whole = ({ report }: { readonly report: OpenReport }) => (
  <Page
    title={report.direction === "false_positive" ? "Dispute of a block" : "Miss report"}
    above={<TextLink to="/reports">Reports</TextLink>}
    chips={<StateChip of={report.status} />}
    hint={`${kindOf(report)} by ${report.reporter}`}
  >
    <InboxBar kind="report" id={report.id} since={report.created_at} />
    <SeenHere id={report.id} />
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        {report.user_reason && (
          <Card title="Reporter's comment">
            <p className="break-words whitespace-pre-wrap">{report.user_reason}</p>
          </Card>
        )}
        <Content report={report} />
        {report.event_id && <Event id={report.event_id} />}
        <Machine report={report} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <ReportDecisionCard report={report} />
        <Card title="Details">
          <ReportFacts report={report} />
        </Card>
      </div>
    </div>
  </Page>
);

const Content = ({ report: { content, is_masked, share_content } }: { readonly report: OpenReport }) => (
  <Card
    title="Content"
    hint={is_masked ? "Secrets and personal data are replaced by their type." : "Viewing is recorded in the audit log."}
  >
    {content && content.length > 0 ? (
      <div className="flex flex-col gap-3">
        {content.map(({ param, text }) => (
          <div key={`${param} ${text}`}>
            <p className="font-mono text-xs text-muted">{param}</p>
            <CodeBlock label={`Text of ${param}`} text={text} />
          </div>
        ))}
      </div>
    ) : (
      <p className="text-muted">
        {share_content
          ? "The content was deleted, or you may not view it."
          : "The content was not shared: decide by the findings."}
      </p>
    )}
  </Card>
);

/** What the scanner said of the call that it is about. */
const Event = ({ id }: { readonly id: string }) => {
  const call = useGet("GET /api/calls/:id", { params: { id } });
  return call.data ? (
    <CallFindings call={{ ...call.data, reports: [], suggestions: [] }} />
  ) : (
    <Card title="Findings">
      <Await query={call}>{() => null}</Await>
    </Card>
  );
};

const Machine = ({ report }: { readonly report: OpenReport }) => {
  const { direction, llm_verdict, llm_confidence, llm_reasoning, status } = report;
  return (
    <Card title="Model assessment" hint="From the reviewer model, which judged the text twice. Advisory.">
      {llm_verdict ? (
        <div className="flex flex-col gap-3">
          <p className="flex flex-wrap items-center gap-2">
            <Chip tone={llm_verdict === "inconclusive" ? "warn" : "info"}>{wordsOf(direction, llm_verdict)}</Chip>
          </p>
          {llm_confidence !== null && (
            <Bars most={1} bars={[{ name: "Confidence", value: llm_confidence, text: shareOf(llm_confidence) }]} />
          )}
          {llm_reasoning && <p className="break-words whitespace-pre-wrap">{llm_reasoning}</p>}
        </div>
      ) : (
        <p className="text-muted">
          {status === "submitted" || status === "reviewing"
            ? "Pending."
            : "None: the text was not shared or was deleted, or no reviewer model is available."}
        </p>
      )}
    </Card>
  );
};

const ReportFacts = ({ report }: { readonly report: OpenReport }) => (
  <Facts
    rows={[
      ["ID", <Id key="id" value={report.id} />],
      ["Sent", <Time key="at" at={report.created_at} plain />],
      ["By", report.reporter],
      [
        "Agent",
        report.agent_id && (
          <TextLink key="agent" to={`/agents/${report.agent_id}`}>
            {report.agent}
          </TextLink>
        ),
      ],
      [
        "Call",
        report.event_id && (
          <TextLink key="call" to={`/calls/${report.event_id}`}>
            View call
          </TextLink>
        ),
      ],
      [
        "Finding types",
        report.flag_types.length === 0 ? null : (
          <span key="types" className="flex flex-wrap gap-1">
            {report.flag_types.map((type) => (
              <Tag key={type}>{type}</Tag>
            ))}
          </span>
        ),
      ],
      ["Section", sectionName(report.questionnaire_section)],
      ["Severity", report.severity_estimate],
      ["Confidence", report.reporter_confidence],
      ["Shared with the reviewer model", report.share_content ? "yes" : "no"],
      [
        "Suggested change",
        report.tuning_suggestion_id && (
          <TextLink key="tuning" to={`/tuning/${report.tuning_suggestion_id}`}>
            View tuning suggestion
          </TextLink>
        ),
      ],
    ]}
  />
);

export default ReportScreen;
