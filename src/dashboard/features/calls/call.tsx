import { useParams } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { addressFor } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { buttonClass } from "#dashboard/parts/button";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { CodeBlock, Id } from "#dashboard/parts/copy";
import { useGet } from "#dashboard/parts/hooks";
import { costOf, numberOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { spanOf, Time } from "#dashboard/parts/time";
import { type Call, CallContent } from "./call-content";
import { CallFindings } from "./call-findings";
import { CallLinks } from "./call-links";
import { CallPolicyCard } from "./call-policy";
import { CallQuestions } from "./call-questions";
import { CallReports } from "./call-report";
import { Waterfall } from "./call-waterfall";

const CallScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const call = useGet("GET /api/calls/:id", { params: { id } });
  return <Await query={call}>{(data) => <Whole call={data} />}</Await>;
};

const Whole = ({ call }: { readonly call: Call }) => (
  <Page
    title={call.tool ?? call.model ?? call.kind}
    above={<TextLink to="/calls">Calls</TextLink>}
    chips={<StateChip of={call.decision} />}
    actions={call.is_own && <CallReports call={call} />}
    hint={call.change ? `${call.kind} of ${call.change.subject}` : undefined}
  >
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        {call.timings && (
          <Card title="Latency breakdown">
            <Waterfall timings={call.timings} />
          </Card>
        )}
        {!call.change && <CallFindings call={call} />}
        {call.questions.length > 0 && <CallQuestions questions={call.questions} />}
        {call.content.kept && <CallContent call={call} />}
        {call.policy && <CallPolicyCard policy={call.policy} restrictions={call.restrictions} />}
        {call.detail && (
          <Card title="Change">
            <CodeBlock label="Details of the change" text={JSON.stringify(call.detail, null, 2)} />
          </Card>
        )}
        <RecordCard call={call} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <CallLinks call={call} />
        <Card title="Details">
          <CallFacts call={call} />
        </Card>
      </div>
    </div>
  </Page>
);

const RecordCard = ({ call }: { readonly call: Call }) => {
  const mayProve = useHasRole("admin", "auditor");
  return (
    <Card
      title="Audit record"
      hint={`Record ${numberOf(call.seq)} of the audit log`}
      actions={mayProve && <ProofLink id={call.call_id} />}
    >
      <details>
        <summary className="cursor-pointer font-medium">Raw record</summary>
        <div className="mt-3">
          <CodeBlock label="Audit record" text={JSON.stringify(call.record, null, 2)} />
        </div>
      </details>
    </Card>
  );
};

/** For `guardhouse audit check`, anywhere. */
const ProofLink = ({ id }: { readonly id: string }) => (
  <a
    className={buttonClass()}
    href={addressFor("GET /api/audit/proof", { query: { call: id } })}
    download={`${id}.tlog-proof`}
  >
    <Download className="size-4" aria-hidden />
    Download proof
  </a>
);

const CallFacts = ({ call }: { readonly call: Call }) => (
  <Facts
    rows={[
      ["Request ID", <Id key="id" value={call.call_id} />],
      ["Event ID", call.event_id && <Id key="event" value={call.event_id} />],
      ["Time", <Time key="at" at={call.at} plain />],
      ["Outcome", <StateChip key="outcome" of={call.outcome} />],
      ["Status", call.status === null ? null : `${call.status}${call.code ? ` ${call.code}` : ""}`],
      ["User", call.user ?? call.user_id],
      ["Made by", call.external],
      [
        "Agent",
        call.agent_id && (
          <TextLink key="agent" to={`/agents/${call.agent_id}`}>
            {call.agent ?? call.agent_id}
          </TextLink>
        ),
      ],
      ["Auth method", call.via],
      ["Key", call.token_id && <Id key="token" value={call.token_id} />],
      ["Model", call.model],
      ["Provider", call.provider],
      ["Provider's model", call.upstream_model],
      ["Tool", call.tool],
      ["Streamed", call.stream ? "yes" : "no"],
      ["Finish reason", call.finish_reasons.length > 0 ? call.finish_reasons.join(", ") : null],
      ["Tokens", call.tokens && `${numberOf(call.tokens.prompt)} in, ${numberOf(call.tokens.completion)} out`],
      ["Cost", costOf(call) || null],
      ["Duration", call.total_ms === null ? null : spanOf(call.total_ms)],
      [
        "Conversation",
        call.conversation_id && (
          <TextLink key="talk" to={`/calls?conversation_id=${encodeURIComponent(call.conversation_id)}`}>
            all calls of it
          </TextLink>
        ),
      ],
      [
        "Denied by layer",
        call.denied_by && <Tag key="denied">{`${call.denied_by.layer}: ${call.denied_by.rule}`}</Tag>,
      ],
      ["Hash", <Id key="hash" value={call.hash} />],
    ]}
  />
);

export default CallScreen;
