import { useNavigate } from "@tanstack/react-router";
import { Flag, MessageSquareWarning } from "lucide-react";
import { useState } from "react";
import type { Answer } from "#dashboard/api/client";
import { useAct, useGet } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { Tag } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import { Time } from "#dashboard/parts/time";
import type { CallReport } from "#modules/reports/schema";
import type { Call } from "./call-type";

type Kind = "dispute" | "miss";

const ENFORCED: readonly string[] = ["redact", "block"];
const SEVERITIES = [
  { value: "", label: "Not said" },
  { value: "low", label: "Low: an annoyance" },
  { value: "medium", label: "Medium: work is held up" },
  { value: "high", label: "High: work stands still, or something leaked" },
  { value: "critical", label: "Critical: act now" },
] as const;
const CONFIDENCES = [
  { value: "", label: "Not said" },
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
  "The model reads it with secrets masked; personal data is not masked. It is deleted 30 days after the report is closed.";
const CONSENT: Readonly<Record<Kind, string>> = {
  dispute: `The kept text of this call is taken into the report, sealed. ${MASKED} Not shared, a person judges by the findings alone.`,
  miss: `${MASKED} Not shared, only people read it.`,
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
    done: isDispute ? "Your dispute is sent." : "Your report is sent.",
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
          ? "Say that something was blocked or redacted wrongly. Nothing changes until a person has approved a change."
          : "Say what passed and should not have. Nothing changes until somebody has looked at it."
      }
      submit={isDispute ? "Send the dispute" : "Send the report"}
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
          label="How bad it is"
          value={draft.severity}
          onValue={(next) => put({ severity: next })}
          choices={SEVERITIES}
        />
        <Select
          label="How sure you are"
          value={draft.confidence}
          onValue={(next) => put({ confidence: next })}
          choices={CONFIDENCES}
        />
      </div>
      <TextArea
        label="Comment"
        hint="Why, in some words. Secrets in it are masked before it is kept."
        maxLength={4_000}
        value={draft.comment}
        onValue={(next) => put({ comment: next })}
      />
      <Checkbox
        checked={draft.isShared}
        onValue={(checked) => put({ isShared: checked })}
        label="Share the text with the reviewing model"
        hint={CONSENT[kind]}
      />
      {quota.data && <QuotaLeft quota={quota.data} />}
    </FormDialog>
  );
};

const MissedText = ({ draft, put }: { readonly draft: Draft; readonly put: (changed: Partial<Draft>) => void }) => (
  <>
    <TextArea
      label="The text that should not have passed"
      required
      value={draft.text}
      onValue={(next) => put({ text: next })}
      hint="It is kept sealed, for who decides about reports."
    />
    <Input
      label="What it is"
      placeholder="injection.indirect"
      hint="Flag types, if you know them."
      value={draft.missed}
      onValue={(next) => put({ missed: next })}
    />
  </>
);

const QuotaLeft = ({ quota }: { readonly quota: Answer<"GET /api/reports/quota"> }) => {
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
    <legend className="mb-1 text-[13px] font-medium">What was wrong</legend>
    {found.map((type) => (
      <Checkbox
        key={type}
        label={<Tag>{type}</Tag>}
        checked={types.includes(type)}
        onValue={(checked) => onChange(checked ? [...types, type] : types.filter((one) => one !== type))}
      />
    ))}
    {found.length === 0 && <p className="text-muted">The decision as a whole.</p>}
  </fieldset>
);
