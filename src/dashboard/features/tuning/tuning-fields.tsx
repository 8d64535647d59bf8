import { ORIGIN_WORDS } from "#dashboard/features/policy/policy-words";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import { ALL_ORIGINS, type DraftFaults, type TuningForm } from "./tuning-draft";
import type { OpenSuggestion } from "./tuning-words";

type Props = {
  readonly draft: TuningForm;
  readonly put: (changed: Partial<TuningForm>) => void;
  readonly faults: DraftFaults;
  readonly it: OpenSuggestion;
};

const OPS = [
  { value: "allow", label: "Exception: only flag matching findings" },
  { value: "threshold", label: "Change the threshold" },
  { value: "action", label: "Change the action" },
  { value: "detect", label: "Add a custom detection" },
] as const;
const STRICTER = [
  { value: "flag", label: "Flag" },
  { value: "redact", label: "Redact" },
  { value: "block", label: "Block" },
] as const;
const ACTIONS = [{ value: "allow", label: "Nothing" }, ...STRICTER] as const;

/** A change, field by field: those of its kind. */
export const TuningFields = (props: Props) => {
  const { draft, put, faults, it } = props;
  return (
    <>
      <Select
        label="Kind of change"
        value={draft.op}
        onValue={(op) => put({ op })}
        // What amends a rule that is there stays of its kind.
        disabled={it.rule_id !== null}
        error={faults.op}
        choices={OPS}
      />
      {draft.op === "detect" ? <Addition {...props} /> : <Types {...props} />}
      {draft.op === "allow" && <Exception {...props} />}
      {draft.op === "threshold" && <Threshold {...props} />}
      {draft.op === "action" && <Action {...props} />}
      <Origins {...props} />
    </>
  );
};

const Types = ({ draft, put, faults }: Props) => (
  <TextArea
    label="Finding types"
    hint="One a line, such as pii.credit_card; pii includes all its types."
    rows={2}
    required
    spellCheck={false}
    className="font-mono text-[13px]"
    error={faults.types}
    value={draft.types}
    onValue={(types) => put({ types })}
  />
);

const Exception = ({ draft, put, faults, it }: Props) => {
  const kept = it.match.value;
  const values = [
    { value: "any", label: "Any value" },
    ...(kept ? [{ value: "kept", label: `The current value (${kept.hash}…)` } as const] : []),
    { value: "new", label: "A new exact value" },
  ] as const;
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="px-1 text-[13px] font-medium">Match: all given conditions must hold</legend>
      <Select
        label="Exact value"
        value={draft.value}
        onValue={(value) => put({ value })}
        error={faults.value}
        choices={values}
      />
      {draft.value === "new" && (
        <>
          <TextArea
            label="Value"
            hint="Only a keyed hash is stored."
            rows={2}
            required
            spellCheck={false}
            className="font-mono text-[13px]"
            error={faults.text}
            value={draft.text}
            onValue={(text) => put({ text })}
          />
          <Select
            label="Value is"
            value={draft.of}
            onValue={(of) => put({ of })}
            choices={[
              { value: "match", label: "the finding" },
              { value: "text", label: "the entire text" },
            ]}
          />
        </>
      )}
      <Pattern
        draft={draft}
        put={put}
        error={faults.pattern}
        hint="RE2 syntax; must match the entire finding. Empty for any."
      />
      <Input
        label="Location"
        hint="Such as messages[*].content or arguments.to. Empty for any."
        maxLength={200}
        spellCheck={false}
        className="font-mono text-[13px]"
        error={faults.context}
        value={draft.context}
        onValue={(context) => put({ context })}
      />
    </fieldset>
  );
};

const Addition = ({ draft, put, faults }: Props) => (
  <>
    <TextArea
      label="Keywords"
      hint="One a line, 3 to 64 characters each."
      rows={2}
      required
      spellCheck={false}
      className="font-mono text-[13px]"
      error={faults.keywords}
      value={draft.keywords}
      onValue={(keywords) => put({ keywords })}
    />
    <Pattern
      draft={draft}
      put={put}
      error={faults.pattern}
      hint="RE2 syntax for the text after the keyword. Empty for the keyword alone."
    />
    <Stricter draft={draft} put={put} label="Action" error={faults.action} />
  </>
);

const Threshold = ({ draft, put, faults }: Props) => (
  <div className="grid gap-3 sm:grid-cols-2">
    <Stricter draft={draft} put={put} label="Action" error={faults.action} />
    <Input
      label="Lowest score"
      hint="0 to 1; higher catches less."
      type="number"
      min={0}
      max={1}
      step="any"
      required
      error={faults.score}
      value={draft.score}
      onValue={(score) => put({ score })}
    />
  </div>
);

const Action = ({ draft, put, faults }: Props) => (
  <div className="grid gap-3 sm:grid-cols-2">
    <Select
      label="Current action"
      value={draft.from}
      onValue={(from) => put({ from })}
      error={faults.from}
      choices={ACTIONS}
    />
    <Select label="Action" value={draft.to} onValue={(to) => put({ to })} error={faults.to} choices={ACTIONS} />
  </div>
);

type Part = Pick<Props, "draft" | "put"> & { readonly error: string | undefined };

const Pattern = ({ draft, put, error, hint }: Part & { readonly hint: string }) => (
  <Input
    label="Pattern"
    hint={hint}
    maxLength={1_000}
    spellCheck={false}
    className="font-mono text-[13px]"
    error={error}
    value={draft.pattern}
    onValue={(pattern) => put({ pattern })}
  />
);

const Stricter = ({ draft, put, error, label }: Part & { readonly label: string }) => (
  <Select label={label} value={draft.action} onValue={(action) => put({ action })} error={error} choices={STRICTER} />
);

const Origins = ({ draft: { origins }, put, faults }: Props) => {
  const problem = origins.length === 0 ? "Choose at least one." : faults.origins;
  return (
    <fieldset className="grid grid-cols-2 gap-1.5 sm:grid-cols-3">
      <legend className="mb-1 text-[13px] font-medium">Origins</legend>
      {ALL_ORIGINS.map((origin) => (
        <Checkbox
          key={origin}
          label={ORIGIN_WORDS[origin]}
          checked={origins.includes(origin)}
          onValue={(checked) =>
            put({ origins: ALL_ORIGINS.filter((one) => (one === origin ? checked : origins.includes(one))) })
          }
        />
      ))}
      {problem && (
        <p role="alert" className="col-span-full text-[13px] text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
};
