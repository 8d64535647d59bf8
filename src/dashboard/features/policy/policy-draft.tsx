import { FlaskConical, X } from "lucide-react";
import { useState } from "react";
import { type AnswerTo, ApiError, messageOf } from "#dashboard/api/client";
import { Button, IconButton } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { Wrong } from "#dashboard/parts/states";
import { useToasts } from "#dashboard/parts/toast";
import type { PolicyImpact } from "#features/policy/schema";
import { ImpactView, mayBeSaved } from "./policy-impact";
import { ORIGIN_WORDS, type PolicyDraftChange, sayChange } from "./policy-words";

const REFRESH = ["/api/policy", "/api/overview", "/api/inbox"] as const;

const keyOf = (change: PolicyDraftChange): string => JSON.stringify(change);

/** Changes that hold nowhere yet: tried out, given a reason, saved or dropped. */
export const Draft = ({
  changes,
  base,
  onChanges,
  onReload,
}: {
  readonly changes: readonly PolicyDraftChange[];
  /** The revision they were made on. */
  readonly base: number;
  readonly onChanges: (changes: readonly PolicyDraftChange[]) => void;
  /** Takes the policy of now for the base. */
  readonly onReload: () => Promise<void>;
}) => {
  const [tried, setTried] = useState<{
    readonly of: readonly PolicyDraftChange[];
    readonly impact: PolicyImpact;
  } | null>(null);
  const trial = useAct("POST /api/policy/dry-run", { quiet: true });
  const run = () =>
    trial.mutate(
      { body: { changes: changes.map(plain) } },
      { onSuccess: (impact) => setTried({ of: changes, impact }) },
    );
  // What was tried before the changes were changed says nothing of them.
  const impact = tried?.of === changes ? tried.impact : null;
  return (
    <Card
      title={`${changes.length} ${changes.length === 1 ? "change" : "changes"}, not in force yet`}
      actions={
        <>
          <Button onClick={() => onChanges([])}>Discard</Button>
          <Button kind="primary" icon={FlaskConical} busy={trial.isPending} onClick={run}>
            Preview changes
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ul className="flex flex-col gap-1">
          {changes.map((change) => (
            <li key={keyOf(change)} className="flex items-center gap-2">
              <IconButton
                icon={X}
                label={`Discard the change of ${change.type}`}
                onClick={() => onChanges(changes.filter((one) => one !== change))}
              />
              <span className="min-w-0">
                <code className="font-mono text-[13px] font-medium">{change.type}</code>{" "}
                <span className="text-[13px] text-muted">
                  {change.origins.map((origin) => ORIGIN_WORDS[origin]).join(", ")}
                </span>
                : {sayChange(change)}
              </span>
            </li>
          ))}
        </ul>
        {trial.error && <Wrong>{messageOf(trial.error)}</Wrong>}
        {impact && (
          <>
            <ImpactView impact={impact} />
            {mayBeSaved(impact) && (
              <Save
                looser={impact.effect === "looser" && impact.approvers.length > 0}
                base={base}
                changes={changes}
                onSaved={() => onChanges([])}
                onReload={() => onReload().then(run)}
              />
            )}
          </>
        )}
      </div>
    </Card>
  );
};

/** As it is sent. */
const plain = (change: PolicyDraftChange) => {
  const place = { type: change.type, origins: [...change.origins] };
  return "reset" in change
    ? { ...place, reset: true as const }
    : { ...place, thresholds: change.thresholds, ...(change.mode ? { mode: change.mode } : {}) };
};

/** What became of a change that was sent: in force, or waiting for somebody else. */
export const useTellChanged = () => {
  const toasts = useToasts();
  return (answer: AnswerTo<"PUT /api/policy">) =>
    "object" in answer
      ? toasts.say("ok", `Revision ${answer.revision} is in force.`)
      : toasts.say("info", "The change loosens the policy: approval by another person is pending.");
};

const Save = ({
  looser,
  base,
  changes,
  onSaved,
  onReload,
}: {
  readonly looser: boolean;
  readonly base: number;
  readonly changes: readonly PolicyDraftChange[];
  readonly onSaved: () => void;
  readonly onReload: () => void;
}) => {
  const [reason, setReason] = useState("");
  const tell = useTellChanged();
  const save = useAct("PUT /api/policy", {
    refresh: REFRESH,
    quiet: true,
    onDone: (answer) => {
      tell(answer);
      onSaved();
    },
  });
  const isStale = save.error instanceof ApiError && save.error.code === "stale_base";
  return (
    <form
      className="flex flex-col gap-3 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ body: { base_revision: base, changes: changes.map(plain), reason: reason.trim() } });
      }}
    >
      <TextArea label="Reason" hint="Recorded in the audit log." required value={reason} onValue={setReason} />
      {save.error && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-bad-soft px-3 py-2 text-bad">
          <p className="min-w-0 flex-1 basis-60">
            {isStale
              ? "The policy was changed in the meantime. Preview your changes against the new revision."
              : messageOf(save.error)}
          </p>
          {isStale && <Button onClick={onReload}>Load new revision</Button>}
        </div>
      )}
      <div className="flex justify-end">
        <Button type="submit" kind="primary" busy={save.isPending} disabled={reason.trim() === ""}>
          {looser ? "Request approval" : "Apply"}
        </Button>
      </div>
    </form>
  );
};
