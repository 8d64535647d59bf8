import { useState } from "react";
import { choicesOf } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind, DEFAULT_RULES, kindOf, SEVERITIES } from "#model/alert";

type Rule = ItemOf<"GET /api/alert-rules">;
type Parts = Pick<
  Rule,
  | "name"
  | "severity"
  | "threshold"
  | "clear_at"
  | "window_seconds"
  | "min_calls"
  | "for_seconds"
  | "resolve_seconds"
  | "agent_id"
>;

const REFRESH = ["/api/alert-rules", "/api/alerts"] as const;
const MINUTE = 60;

const UNITS = { percent: "%", usd: "US dollars", hours: "hours", milliseconds: "ms", state: "0 while all is well" };

const KINDS = ALERT_KIND_NAMES.map((value) => ({ value, label: ALERT_KINDS[value].title }));

const usualOf = (kind: AlertKind): Parts | undefined => DEFAULT_RULES.find((rule) => rule.kind === kind);

/** Adds a rule, or changes one. */
export const AlertRuleForm = ({ rule, onClose }: { readonly rule?: Rule; readonly onClose: () => void }) => {
  const [kind, setKind] = useState<AlertKind>(rule?.kind ?? "block_rate");
  const base = rule ?? usualOf(kind);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [named, setNamed] = useState<readonly string[] | null>(rule?.destinations ?? null);
  const destinations = useList("GET /api/alert-destinations", {});
  const agents = useList("GET /api/agents", { query: { limit: "200" } });
  const options = { refresh: REFRESH, close: onClose, done: "Saved." };
  const add = useAct("POST /api/alert-rules", options);
  const change = useAct("PATCH /api/alert-rules/:id", options);
  const about = kindOf(kind);
  if (!base) return null;
  const textOf = (name: keyof Parts, divisor = 1): string => {
    const given = base[name];
    return typed[name] ?? String(typeof given === "number" ? given / divisor : (given ?? ""));
  };
  const field = (name: keyof Parts, divisor = 1) => ({
    value: textOf(name, divisor),
    onValue: (text: string) => setTyped((before) => ({ ...before, [name]: text })),
  });
  const numberOf = (name: keyof Parts, factor = 1): number =>
    Math.round(Number(textOf(name, factor)) * factor * 1e6) / 1e6;
  const save = () => {
    const agent = textOf("agent_id");
    const body = {
      name: textOf("name").trim(),
      severity: SEVERITIES.find((one) => one === textOf("severity")) ?? "warning",
      threshold: numberOf("threshold"),
      clear_at: numberOf("clear_at"),
      for_seconds: numberOf("for_seconds", MINUTE),
      resolve_seconds: numberOf("resolve_seconds", MINUTE),
      ...(about.window && { window_seconds: numberOf("window_seconds", MINUTE), min_calls: numberOf("min_calls") }),
      ...(about.agent && { agent_id: agent === "" ? null : agent }),
      destinations: named === null ? null : [...named],
    };
    if (rule) change.mutate({ params: { id: rule.id }, body });
    else add.mutate({ body: { kind, ...body } });
  };
  const toggle = (id: string, on: boolean) =>
    setNamed((before) => [...(before ?? []).filter((one) => one !== id), ...(on ? [id] : [])]);
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={rule ? "Edit rule" : "Add rule"}
      hint={about.measures}
      submit={rule ? "Save" : "Add"}
      act={rule ? change : add}
      disabled={textOf("name").trim() === ""}
      onSubmit={save}
    >
      {!rule && (
        <Select
          label="Measures"
          value={kind}
          onValue={(next) => {
            setKind(next);
            setTyped({});
          }}
          choices={KINDS}
        />
      )}
      <Input label="Name" required maxLength={100} {...field("name")} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Input label={`Fires above (${UNITS[about.unit]})`} inputMode="decimal" required {...field("threshold")} />
        <Input label="Ends at or below" inputMode="decimal" required {...field("clear_at")} />
        <Input label="Fires after minutes" inputMode="decimal" required {...field("for_seconds", MINUTE)} />
        <Input label="Ends after minutes" inputMode="decimal" required {...field("resolve_seconds", MINUTE)} />
        {about.window && (
          <>
            <Input
              label="Calls of the last minutes"
              inputMode="numeric"
              required
              {...field("window_seconds", MINUTE)}
            />
            <Input label="With at least so many calls" inputMode="numeric" required {...field("min_calls")} />
          </>
        )}
        {about.agent && (
          <Select
            label="Agent"
            {...field("agent_id")}
            choices={[
              { value: "", label: "All calls" },
              ...agents.items.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        <Select label="Severity" {...field("severity")} choices={choicesOf<string>(SEVERITIES)} />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="text-[13px] font-medium">Sent to</legend>
        <Checkbox label="All destinations" checked={named === null} onValue={(on) => setNamed(on ? null : [])} />
        {named !== null &&
          destinations.items.map(({ id, name }) => (
            <Checkbox key={id} label={name} checked={named.includes(id)} onValue={(on) => toggle(id, on)} />
          ))}
      </fieldset>
    </FormDialog>
  );
};
