import { useState } from "react";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select } from "#dashboard/parts/field";
import { type GridCell, ORIGIN_WORDS, type PolicyDraftChange, type PolicyOrigin, type Row } from "./policy-words";

type Actions = "flag" | "redact" | "block";

const ACTIONS: readonly { readonly action: Actions; readonly label: string; readonly hint: string }[] = [
  { action: "flag", label: "Flag from", hint: "Passes, and is recorded." },
  { action: "redact", label: "Redact from", hint: "The finding is replaced by a label." },
  { action: "block", label: "Block from", hint: "The call is refused." },
];

const numberIn = (text: string): number | undefined => (text.trim() === "" ? undefined : Number(text));

const startOf = ({ thresholds }: GridCell): Readonly<Record<Actions, string>> => ({
  flag: String(thresholds.flag ?? ""),
  redact: String(thresholds.redact ?? ""),
  block: String(thresholds.block ?? ""),
});

/** A rule for a flag type at some origins, kept for trying out; nothing is in force before it is saved. */
export const EditCell = ({
  row,
  cell,
  onChange,
  onClose,
}: {
  readonly row: Row;
  readonly cell: GridCell;
  readonly onChange: (change: PolicyDraftChange) => void;
  readonly onClose: () => void;
}) => {
  const [origins, setOrigins] = useState<readonly PolicyOrigin[]>([cell.origin]);
  const [scores, setScores] = useState(startOf(cell));
  const [mode, setMode] = useState(cell.mode);
  const keep = (change: PolicyDraftChange) => {
    onChange(change);
    onClose();
  };
  const save = () => {
    const [flag, redact, block] = [scores.flag, scores.redact, scores.block].map(numberIn);
    keep({
      type: row.type,
      origins,
      thresholds: {
        ...(flag === undefined ? {} : { flag }),
        ...(redact === undefined ? {} : { redact }),
        ...(block === undefined ? {} : { block }),
      },
      ...(mode === "monitor" ? { mode } : {}),
    });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={row.type}
      hint="Lowest score of each action, 0 to 1; empty for never. In force only after saving with a reason."
      submit="Add to draft"
      disabled={origins.length === 0}
      onSubmit={save}
    >
      <Origins row={row} chosen={origins} onChange={setOrigins} />
      <div className="grid gap-3 sm:grid-cols-3">
        {ACTIONS.map(({ action, label, hint }) => (
          <Input
            key={action}
            label={label}
            hint={hint}
            type="number"
            min={0}
            max={1}
            step="any"
            value={scores[action]}
            onValue={(next) => setScores({ ...scores, [action]: next })}
          />
        ))}
      </div>
      <Select
        label="Mode"
        value={mode}
        onValue={setMode}
        choices={[
          { value: "enforce", label: "Enforce" },
          { value: "monitor", label: "Monitor: only flag what would be redacted or blocked" },
        ]}
      />
      {cell.from === "edit" && (
        <p>
          This rule was edited.{" "}
          <button
            type="button"
            onClick={() => keep({ type: cell.rule ?? row.type, origins, reset: true })}
            className="min-h-6 font-medium text-accent underline-offset-2 hover:underline"
          >
            Remove the edit
          </button>
        </p>
      )}
    </FormDialog>
  );
};

const Origins = ({
  row,
  chosen,
  onChange,
}: {
  readonly row: Row;
  readonly chosen: readonly PolicyOrigin[];
  readonly onChange: (origins: readonly PolicyOrigin[]) => void;
}) => (
  <fieldset className="grid grid-cols-2 gap-1.5">
    <legend className="mb-1 text-[13px] font-medium">Origins</legend>
    {row.cells.map(({ origin, key }) => (
      <Checkbox
        key={origin}
        label={ORIGIN_WORDS[origin]}
        hint={key === null ? undefined : `set in the configuration: ${key}`}
        disabled={key !== null}
        checked={chosen.includes(origin)}
        onValue={(checked) => onChange(checked ? [...chosen, origin] : chosen.filter((one) => one !== origin))}
      />
    ))}
  </fieldset>
);
