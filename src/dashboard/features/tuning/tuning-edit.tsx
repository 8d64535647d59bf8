import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { CodeBlock } from "#dashboard/parts/copy";
import { FormDialog } from "#dashboard/parts/dialog";
import { TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { Wrong } from "#dashboard/parts/states";
import { type DialogProps, errorTextOf, REFRESH } from "./tuning-dialogs";
import { Sides } from "./tuning-diff";
import { draftOf, faultsOf, givenOf, shownOf, type TuningForm } from "./tuning-draft";
import { TuningFields } from "./tuning-fields";
import { TuningImpact } from "./tuning-impact";
import { aboutOf, EffectChip, effectOf, kindName } from "./tuning-words";

/** A change is written anew, tried on past calls before anybody is asked, and then asked for. */
export const EditDialog = ({ it, onClose }: DialogProps) => {
  const [draft, setDraft] = useState(() => draftOf(it));
  const [note, setNote] = useState("");
  const save = useAct("POST /api/tuning/:id/edit", {
    refresh: REFRESH,
    done: "Changed; approval requested.",
    close: onClose,
  });
  const trial = useAct("POST /api/tuning/:id/dry-run", { quiet: true });
  const given = givenOf(draft, it);
  const faults = faultsOf(save.error ?? trial.error, draft);
  const told = (error: Error) =>
    Object.keys(faults).length > 0 ? "Invalid: see the marked field." : errorTextOf(error);
  const put = (changed: Partial<TuningForm>) => {
    setDraft({ ...draft, ...changed });
    // What was said of another change is said of it no more.
    save.reset();
    trial.reset();
  };
  const said = note.trim();
  return (
    <FormDialog
      wide
      onClose={onClose}
      title="Edit this change"
      hint="Editing voids earlier approvals and requests approval in your name. The expiry is set on applying."
      submit="Save and request approval"
      act={save}
      told={told}
      disabled={draft.origins.length === 0}
      onSubmit={() => save.mutate({ params: { id: it.id }, body: { ...given, ...(said && { note: said }) } })}
    >
      <TuningFields draft={draft} put={put} faults={faults} it={it} />
      <TextArea
        label="Reason"
        hint="Reason for the approvers."
        rows={2}
        maxLength={1_000}
        value={note}
        onValue={setNote}
      />
      <section aria-labelledby="tuning-preview" className="flex flex-col gap-3 rounded-lg border border-line p-3">
        <div className="flex flex-wrap items-center gap-2">
          <h3 id="tuning-preview" className="flex-1 font-semibold">
            Impact
          </h3>
          <Button
            small
            icon={FlaskConical}
            busy={trial.isPending}
            disabled={draft.origins.length === 0}
            onClick={() => trial.mutate({ params: { id: it.id }, body: given })}
          >
            Re-evaluate past calls
          </Button>
        </div>
        <p className="break-words text-muted">{aboutOf(trial.data ?? shownOf(draft, it))}</p>
        <Sides {...effectOf(trial.data ?? shownOf(draft, it))} />
        {trial.error && <Wrong>{told(trial.error)}</Wrong>}
        {trial.data && (
          <div role="status" className="flex flex-col gap-3">
            <p className="flex items-center gap-2">
              {kindName(trial.data.kind)} <EffectChip effect={trial.data.effect} />
            </p>
            <TuningImpact impact={trial.data.impact} />
          </div>
        )}
        <details>
          <summary className="cursor-pointer text-[13px] font-medium">As JSON</summary>
          <div className="mt-2">
            <CodeBlock label="The change as JSON" text={JSON.stringify(given, null, 2)} />
          </div>
        </details>
      </section>
    </FormDialog>
  );
};
