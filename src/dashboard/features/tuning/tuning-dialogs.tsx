import { useState } from "react";
import { ApiError, messageOf } from "#dashboard/api/client";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { aboutOf, BLOCKING, effectOf, type OpenSuggestion, subjectOf } from "./tuning-words";

export type DialogProps = { readonly it: OpenSuggestion; readonly onClose: () => void };

export const REFRESH = ["/api/tuning", "/api/inbox", "/api/overview", "/api/reports"];

/** What the hub said against it, and what to do next where that is known. */
export const errorTextOf = (error: Error): string => {
  const next = error instanceof ApiError ? BLOCKING[error.code] : undefined;
  return next ? `${messageOf(error)} ${next}` : messageOf(error);
};

const Reminder = ({ it }: { readonly it: OpenSuggestion }) => (
  <p className="rounded-md bg-raised px-3 py-2">
    For {subjectOf(it)}: {aboutOf(it)}. <span className="font-medium">{effectOf(it).after}</span>
  </p>
);

export const RequestDialog = ({ it, onClose }: DialogProps) => {
  const [note, setNote] = useState("");
  const act = useAct("POST /api/tuning/:id/request-approval", {
    refresh: REFRESH,
    done: "Approval requested.",
    close: onClose,
  });
  const said = note.trim();
  return (
    <FormDialog
      onClose={onClose}
      title="Request approval"
      hint="Another person must approve. The change is re-evaluated against the current rules."
      submit="Request approval"
      act={act}
      told={errorTextOf}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: said ? { note: said } : {} })}
    >
      <Reminder it={it} />
      <TextArea label="Note" hint="Reason for the approvers." maxLength={1_000} value={note} onValue={setNote} />
    </FormDialog>
  );
};

export const DecideDialog = ({
  it: now,
  decision,
  onClose,
}: DialogProps & { readonly decision: "approve" | "deny" }) => {
  // As it was when the dialog was opened: another change is not approved by it, and the hub refuses that.
  const [it] = useState(now);
  const [reason, setReason] = useState("");
  const isApproval = decision === "approve";
  const act = useAct(isApproval ? "POST /api/tuning/:id/approve" : "POST /api/tuning/:id/deny", {
    refresh: REFRESH,
    done: isApproval ? "Approved." : "Denied.",
    close: onClose,
  });
  const isAlone = it.deciding?.alone ?? false;
  const said = reason.trim();
  const body = { content_hash: it.content_hash, ...(said && { reason: said }) };
  return (
    <FormDialog
      onClose={onClose}
      title={isApproval ? "Approve this change" : "Deny this change"}
      hint={
        isApproval
          ? "The approval is valid for seven days. An edit voids it."
          : "The suggestion can be edited and approval requested again."
      }
      submit={isApproval ? "Approve" : "Deny"}
      act={act}
      told={errorTextOf}
      danger={!isApproval}
      isReady
      disabled={isAlone && said === ""}
      onSubmit={() => act.mutate({ params: { id: it.id }, body })}
    >
      <Reminder it={it} />
      {isAlone && <p className="text-warn">You decide alone, because nobody else is eligible: a reason is required.</p>}
      <TextArea
        label="Reason"
        hint="Recorded in the audit log."
        required={isAlone}
        maxLength={4_000}
        value={reason}
        onValue={setReason}
      />
    </FormDialog>
  );
};

const MODES = [
  { value: "enforce", label: "Enforce: in force from the next call on" },
  { value: "monitor", label: "Monitor: only records what would change" },
] as const;

export const ApplyDialog = ({ it, onClose }: DialogProps) => {
  const [mode, setMode] = useState<"enforce" | "monitor">("enforce");
  const [days, setDays] = useState("");
  const act = useAct("POST /api/tuning/:id/apply", {
    refresh: [...REFRESH, "/api/calls"],
    done: "Rule in force.",
    close: onClose,
  });
  const body = { mode, ...(days && { expires_in_days: Number(days) }) };
  const isAmendment = it.change.op === "amend";
  return (
    <FormDialog
      onClose={onClose}
      title="Apply this change"
      hint="In force from the next call on. Can be rolled back."
      submit="Apply"
      act={act}
      told={errorTextOf}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: isAmendment ? {} : body })}
    >
      <Reminder it={it} />
      {!isAmendment && (
        <>
          <Select label="Mode" value={mode} onValue={setMode} choices={MODES} />
          <Input
            label="Expires after (days)"
            type="number"
            min={1}
            max={365}
            placeholder={it.effect === "loosen" ? "90" : "never"}
            hint={it.effect === "loosen" ? "Default: 90 days. Rules that loosen always expire." : "Default: never."}
            value={days}
            onValue={setDays}
          />
        </>
      )}
    </FormDialog>
  );
};

export const RejectDialog = ({ it, onClose }: DialogProps) => {
  const [reason, setReason] = useState("");
  const act = useAct("POST /api/tuning/:id/reject", {
    refresh: REFRESH,
    done: "Suggestion rejected.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Reject this change"
      hint="Permanent."
      submit="Reject"
      act={act}
      told={errorTextOf}
      danger
      disabled={reason.trim() === ""}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: { reason: reason.trim() } })}
    >
      <Reminder it={it} />
      <TextArea label="Reason" required maxLength={200} value={reason} onValue={setReason} />
    </FormDialog>
  );
};
