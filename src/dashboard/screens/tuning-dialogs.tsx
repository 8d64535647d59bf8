import { useState } from "react";
import { ApiError, messageOf } from "#dashboard/api/client";
import { useAct } from "#dashboard/api/hooks";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { aboutOf, BLOCKING, effectOf, type OpenSuggestion, subjectOf } from "./tuning-words";

export type DialogProps = { readonly it: OpenSuggestion; readonly onClose: () => void };

export const REFRESH = ["/api/tuning", "/api/inbox", "/api/overview", "/api/reports"];

/** What the hub said against it, and what to do next where that is known. */
export const toldOf = (error: Error): string => {
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
    ...{ refresh: REFRESH, done: "Approval is asked for.", close: onClose },
  });
  const said = note.trim();
  return (
    <FormDialog
      onClose={onClose}
      title="Request approval"
      hint="You stand behind it, and somebody else approves it. It is replayed against the rules as they are now."
      submit="Request approval"
      act={act}
      told={toldOf}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: said ? { note: said } : {} })}
    >
      <Reminder it={it} />
      <TextArea
        label="Note"
        hint="Why it is needed, for who approves."
        maxLength={1_000}
        value={note}
        onValue={setNote}
      />
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
    ...{ refresh: REFRESH, done: isApproval ? "It is approved." : "It is denied.", close: onClose },
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
          ? "It can be applied for seven days. An edit takes the approval away."
          : "It is a suggestion again, and can be edited and asked for anew."
      }
      submit={isApproval ? "Approve" : "Deny"}
      act={act}
      told={toldOf}
      danger={!isApproval}
      disabled={isAlone && said === ""}
      onSubmit={() => act.mutate({ params: { id: it.id }, body })}
    >
      <Reminder it={it} />
      {isAlone && <p className="text-warn">You decide alone: nobody else could. It takes a reason.</p>}
      <TextArea
        label="Reason"
        hint="For the record."
        required={isAlone}
        maxLength={4_000}
        value={reason}
        onValue={setReason}
      />
    </FormDialog>
  );
};

const MODES = [
  { value: "enforce", label: "Enforce: it holds from the next call on" },
  { value: "monitor", label: "Monitor: it changes nothing, and says what it would" },
] as const;

export const ApplyDialog = ({ it, onClose }: DialogProps) => {
  const [mode, setMode] = useState<"enforce" | "monitor">("enforce");
  const [days, setDays] = useState("");
  const act = useAct("POST /api/tuning/:id/apply", {
    ...{ refresh: [...REFRESH, "/api/calls"], done: "It is in force.", close: onClose },
  });
  const body = { mode, ...(days && { expires_in_days: Number(days) }) };
  const isAmendment = it.change.op === "amend";
  return (
    <FormDialog
      onClose={onClose}
      title="Apply this change"
      hint="The next call is judged by it. It can be taken back."
      submit="Apply"
      act={act}
      told={toldOf}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: isAmendment ? {} : body })}
    >
      <Reminder it={it} />
      {!isAmendment && (
        <>
          <Select label="Mode" value={mode} onValue={setMode} choices={MODES} />
          <Input
            label="Days until it ends"
            type="number"
            min={1}
            max={365}
            placeholder={it.effect === "loosen" ? "90" : "never"}
            hint={it.effect === "loosen" ? "Left empty: 90 days. What loosens always ends." : "Left empty: it stays."}
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
    ...{ refresh: REFRESH, done: "It is rejected.", close: onClose },
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Reject this change"
      hint="Nobody wants it. That is final."
      submit="Reject"
      act={act}
      told={toldOf}
      danger
      disabled={reason.trim() === ""}
      onSubmit={() => act.mutate({ params: { id: it.id }, body: { reason: reason.trim() } })}
    >
      <Reminder it={it} />
      <TextArea label="Reason" required maxLength={200} value={reason} onValue={setReason} />
    </FormDialog>
  );
};
