import { useState } from "react";
import { AgentSelect } from "#dashboard/app/found";
import { choicesOf } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind, DEFAULT_RULES, kindOf, SEVERITIES } from "#model/alert";
import { type Typed, useTyped } from "./typed-fields";

type Rule = ItemOf<"GET /api/alert-rules">;

const REFRESH = ["/api/alert-rules", "/api/alerts"] as const;
const MINUTE = 60;

const UNITS = { percent: "%", usd: "US dollars", hours: "hours", milliseconds: "ms", state: "0 while all is well" };

const KINDS = ALERT_KIND_NAMES.map((value) => ({ value, label: ALERT_KINDS[value].title }));

const IN_MINUTES = ["window_seconds", "for_seconds", "resolve_seconds"];

/** A part of a rule as it stands in its field: durations in minutes. */
const shownOf = (rule: Rule | undefined, kind: AlertKind, name: string): string => {
  const from: Readonly<Record<string, unknown>> | undefined =
    rule ?? DEFAULT_RULES.find((usual) => usual.kind === kind);
  const value = from?.[name];
  return String(typeof value === "number" && IN_MINUTES.includes(name) ? value / MINUTE : (value ?? ""));
};

const partsOf = ({ textOf }: Typed, kind: AlertKind, destinations: readonly string[] | null) => {
  const about = kindOf(kind);
  const seconds = (name: string): number => Math.round(Number(textOf(name)) * MINUTE);
  const agent = textOf("agent_id");
  return {
    name: textOf("name").trim(),
    severity: SEVERITIES.find((one) => one === textOf("severity")) ?? "warning",
    threshold: Number(textOf("threshold")),
    clear_at: Number(textOf("clear_at")),
    for_seconds: seconds("for_seconds"),
    resolve_seconds: seconds("resolve_seconds"),
    ...(about.window && { window_seconds: seconds("window_seconds"), min_calls: Number(textOf("min_calls")) }),
    ...(about.agent && { agent_id: agent === "" ? null : agent }),
    destinations: destinations === null ? null : [...destinations],
  };
};

/** Adds a rule, or changes one. */
export const AlertRuleForm = ({ rule, onClose }: { readonly rule?: Rule; readonly onClose: () => void }) => {
  const [kind, setKind] = useState<AlertKind>(rule?.kind ?? "block_rate");
  const typed = useTyped((name) => shownOf(rule, kind, name));
  const [destinations, setDestinations] = useState<readonly string[] | null>(rule?.destinations ?? null);
  const options = { refresh: REFRESH, close: onClose, done: "Saved." };
  const add = useAct("POST /api/alert-rules", options);
  const change = useAct("PATCH /api/alert-rules/:id", options);
  const save = () => {
    const body = partsOf(typed, kind, destinations);
    if (rule) change.mutate({ params: { id: rule.id }, body });
    else add.mutate({ body: { kind, ...body } });
  };
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={rule ? "Edit rule" : "Add rule"}
      hint={kindOf(kind).measures}
      submit={rule ? "Save" : "Add"}
      act={rule ? change : add}
      disabled={typed.textOf("name").trim() === ""}
      onSubmit={save}
    >
      {!rule && (
        <Select
          label="Measures"
          value={kind}
          onValue={(next) => {
            setKind(next);
            typed.clear();
          }}
          choices={KINDS}
        />
      )}
      <RuleFields typed={typed} kind={kind} />
      <DestinationChoice chosen={destinations} onChange={setDestinations} />
    </FormDialog>
  );
};

const RuleFields = ({ typed: { field }, kind }: { readonly typed: Typed; readonly kind: AlertKind }) => {
  const { unit, window, agent } = kindOf(kind);
  return (
    <>
      <Input label="Name" required maxLength={100} {...field("name")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Input label={`Fires above (${UNITS[unit]})`} inputMode="decimal" required {...field("threshold")} />
        <Input label="Ends at or below" inputMode="decimal" required {...field("clear_at")} />
        <Input label="Fires after minutes" inputMode="decimal" required {...field("for_seconds")} />
        <Input label="Ends after minutes" inputMode="decimal" required {...field("resolve_seconds")} />
        {window && (
          <>
            <Input label="Calls of the last minutes" inputMode="numeric" required {...field("window_seconds")} />
            <Input label="With at least so many calls" inputMode="numeric" required {...field("min_calls")} />
          </>
        )}
        {agent && <AgentSelect label="Agent" none="All calls" {...field("agent_id")} />}
        <Select label="Severity" {...field("severity")} choices={choicesOf<string>(SEVERITIES)} />
      </div>
    </>
  );
};

const DestinationChoice = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[] | null;
  readonly onChange: (chosen: readonly string[] | null) => void;
}) => {
  const destinations = useList("GET /api/alert-destinations", {});
  const toggle = (id: string, on: boolean) =>
    onChange([...(chosen ?? []).filter((one) => one !== id), ...(on ? [id] : [])]);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-[13px] font-medium">Sent to</legend>
      <Checkbox label="All destinations" checked={chosen === null} onValue={(on) => onChange(on ? null : [])} />
      {chosen !== null &&
        destinations.items.map(({ id, name }) => (
          <Checkbox key={id} label={name} checked={chosen.includes(id)} onValue={(on) => toggle(id, on)} />
        ))}
    </fieldset>
  );
};
