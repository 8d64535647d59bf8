import { useNavigate } from "@tanstack/react-router";
import { Flag, MessageSquareWarning } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Tag } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { Time } from "#dashboard/parts/time";
import type { CallReport } from "#features/reports/schema";
import type { Call } from "./call-content";

type Kind = "dispute" | "miss";

const ENFORCED: readonly string[] = ["redact", "block"];
const SEVERITIES = [
  { value: "", label: "Not specified" },
  { value: "low", label: "Low: minor annoyance" },
  { value: "medium", label: "Medium: work is delayed" },
  { value: "high", label: "High: work is blocked, or data leaked" },
  { value: "critical", label: "Critical: act now" },
] as const;
const CONFIDENCES = [
  { value: "", label: "Not specified" },
  { value: "unlikely", label: "Unlikely" },
  { value: "possible", label: "Possible" },
  { value: "likely", label: "Likely" },
  { value: "certain", label: "Certain" },
] as const;

/** What who called may say about what the scanner did, and about what it did not do. */
export const CallReports = ({ call }: { readonly call: Call }) => {
  const [open, setOpen] = useState<Kind | null>(null);
  const isDisputable = call.event_id !== null && ENFORCED.includes(call.decision);
  const isDisputed = call.reports.some(({ direction }) => direction === "false_positive");
  return (
    <>
      {isDisputable && !isDisputed && (
        <Button kind="primary" icon={MessageSquareWarning} onClick={() => setOpen("dispute")}>
          Dispute
        </Button>
      )}
      <Button icon={Flag} onClick={() => setOpen("miss")}>
        Report a miss
      </Button>
      {open && <ReportDialog kind={open} call={call} onClose={() => setOpen(null)} />}
    </>
  );
};

type Draft = {
  readonly types: readonly string[];
  readonly missed: string;
  readonly text: string;
  readonly severity: (typeof SEVERITIES)[number]["value"];
  readonly confidence: (typeof CONFIDENCES)[number]["value"];
  readonly comment: string;
  readonly isShared: boolean;
};
const BLANK: Omit<Draft, "types"> = {
  missed: "",
  text: "",
  severity: "",
  confidence: "",
  comment: "",
  isShared: false,
};

const MASKED =
  "The reviewer model gets the text with secrets masked; personal data is not masked. The text is deleted 30 days after the report is closed.";
const CONSENT: Readonly<Record<Kind, string>> = {
  dispute: `The stored content of this call is copied into the report, encrypted. ${MASKED} If it is not shared, people decide by the findings alone.`,
  miss: `${MASKED} If it is not shared, only people view it.`,
};

const bodyOf = (kind: Kind, { types, missed, text, severity, confidence, comment, isShared }: Draft): CallReport => {
  const named = kind === "dispute" ? types : missed.split(/[\s,]+/).filter((type) => type !== "");
  return {
    ...(named.length > 0 && { flag_types: [...named] }),
    ...(kind === "miss" && { message_content: text }),
    ...(severity && { severity_estimate: severity }),
    ...(confidence && { reporter_confidence: confidence }),
    ...(comment.trim() && { user_reason: comment.trim() }),
    share_content: isShared,
  };
};

const ReportDialog = ({
  kind,
  call,
  onClose,
}: {
  readonly kind: Kind;
  readonly call: Call;
  readonly onClose: () => void;
}) => {
  const isDispute = kind === "dispute";
  const enforced = call.findings.filter(({ action }) => ENFORCED.includes(action));
  const found = [...new Set(enforced.map(({ type }) => type))];
  const [draft, setDraft] = useState<Draft>({ ...BLANK, types: found });
  const put = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed });
  const navigate = useNavigate();
  const quota = useGet("GET /api/reports/quota", {});
  const send = useAct(isDispute ? "POST /api/calls/:id/dispute" : "POST /api/calls/:id/miss", {
    refresh: ["/api/calls", "/api/reports", "/api/inbox"],
    done: isDispute ? "Dispute sent." : "Report sent.",
    quiet: true,
    onDone: ({ miss_report_id }) => void navigate({ to: `/reports/${miss_report_id}` }),
  });
  const isOver = quota.data?.remaining === 0;
  return (
    <FormDialog
      onClose={onClose}
      title={isDispute ? "Dispute this decision" : "Report a miss"}
      hint={
        isDispute
          ? "Report a wrong block or redaction. The scanner changes only after a person approves a tuning suggestion."
          : "Report what passed and should have been caught. A reviewer model or a person decides on it."
      }
      submit={isDispute ? "Send dispute" : "Send report"}
      act={send}
      disabled={isOver || (isDispute && found.length > 0 && draft.types.length === 0)}
      onSubmit={() => send.mutate({ params: { id: call.call_id }, body: bodyOf(kind, draft) })}
    >
      {isDispute ? (
        <FoundTypes found={found} types={draft.types} onChange={(types) => put({ types })} />
      ) : (
        <MissedText draft={draft} put={put} />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Severity"
          value={draft.severity}
          onValue={(next) => put({ severity: next })}
          choices={SEVERITIES}
        />
        <Select
          label="Confidence"
          value={draft.confidence}
          onValue={(next) => put({ confidence: next })}
          choices={CONFIDENCES}
        />
      </div>
      <TextArea
        label="Comment"
        hint="Explain why. Secrets are masked before the comment is stored."
        maxLength={4_000}
        value={draft.comment}
        onValue={(next) => put({ comment: next })}
      />
      <Checkbox
        checked={draft.isShared}
        onValue={(checked) => put({ isShared: checked })}
        label="Share the text with the reviewer model"
        hint={CONSENT[kind]}
      />
      {quota.data && <QuotaLeft quota={quota.data} />}
    </FormDialog>
  );
};

const MissedText = ({ draft, put }: { readonly draft: Draft; readonly put: (changed: Partial<Draft>) => void }) => (
  <>
    <TextArea
      label="Missed text"
      required
      value={draft.text}
      onValue={(next) => put({ text: next })}
      hint="Stored encrypted, visible to those who decide on reports."
    />
    <Input
      label="Finding types"
      placeholder="injection.indirect"
      hint="If you know them."
      value={draft.missed}
      onValue={(next) => put({ missed: next })}
    />
  </>
);

const QuotaLeft = ({ quota }: { readonly quota: AnswerTo<"GET /api/reports/quota"> }) => {
  const isOver = quota.remaining === 0;
  return (
    <p className={isOver ? "text-bad" : "text-[13px] text-muted"}>
      {quota.remaining ?? quota.limit} of {quota.limit} reports an hour left.
      {isOver && (
        <>
          {" "}
          The next is accepted <Time at={quota.next_at} />.
        </>
      )}
    </p>
  );
};

const FoundTypes = ({
  found,
  types,
  onChange,
}: {
  readonly found: readonly string[];
  readonly types: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
}) => (
  <fieldset className="flex flex-col gap-1.5">
    <legend className="mb-1 text-[13px] font-medium">Disputed findings</legend>
    {found.map((type) => (
      <Checkbox
        key={type}
        label={<Tag>{type}</Tag>}
        checked={types.includes(type)}
        onValue={(checked) => onChange(checked ? [...types, type] : types.filter((one) => one !== type))}
      />
    ))}
    {found.length === 0 && <p className="text-muted">The entire decision.</p>}
  </fieldset>
);
