import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { useAct } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { CodeBlock } from "#dashboard/parts/copy";
import { FormDialog } from "#dashboard/parts/dialog";
import { TextArea } from "#dashboard/parts/field";
import { Wrong } from "#dashboard/parts/states";
import { type DialogProps, REFRESH, toldOf } from "./tuning-dialogs";
import { Sides } from "./tuning-diff";
import { draftOf, faultsOf, givenOf, shownOf, type TuningDraft } from "./tuning-draft";
import { EffectChip } from "./tuning-effect";
import { TuningFields } from "./tuning-fields";
import { TuningImpact } from "./tuning-impact";
import { aboutOf, effectOf, kindName } from "./tuning-words";

/** A change is written anew, tried on past calls before anybody is asked, and then asked for. */
export const EditDialog = ({ it, onClose }: DialogProps) => {
  const [draft, setDraft] = useState(() => draftOf(it));
  const [note, setNote] = useState("");
  const save = useAct("POST /api/tuning/:id/edit", {
    ...{ refresh: REFRESH, done: "It is changed, and waits for approval.", close: onClose },
  });
  const trial = useAct("POST /api/tuning/:id/dry-run", { quiet: true });
  const given = givenOf(draft, it);
  const faults = faultsOf(save.error ?? trial.error, draft);
  const told = (error: Error) =>
    Object.keys(faults).length > 0 ? "It cannot be so: see the field that is marked." : toldOf(error);
  const put = (changed: Partial<TuningDraft>) => {
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
      hint="Whoever edits it asks for it: earlier approvals count for nothing. How long it holds is said when it is applied."
      submit="Save, and request approval"
      act={save}
      told={told}
      disabled={draft.origins.length === 0}
      onSubmit={() => save.mutate({ params: { id: it.id }, body: { ...given, ...(said && { note: said }) } })}
    >
      <TuningFields draft={draft} put={put} faults={faults} it={it} />
      <TextArea
        label="Reason"
        hint="Why it is needed, for who approves."
        rows={2}
        maxLength={1_000}
        value={note}
        onValue={setNote}
      />
      <section aria-labelledby="tuning-preview" className="flex flex-col gap-3 rounded-lg border border-line p-3">
        <div className="flex flex-wrap items-center gap-2">
          <h3 id="tuning-preview" className="flex-1 font-semibold">
            What it would do
          </h3>
          <Button
            small
            icon={FlaskConical}
            busy={trial.isPending}
            disabled={draft.origins.length === 0}
            onClick={() => trial.mutate({ params: { id: it.id }, body: given })}
          >
            Try it on past calls
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
