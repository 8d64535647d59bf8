import { Pause, Pencil, Play, Plus, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, toneOf } from "#dashboard/parts/chip";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { type Column, Table } from "#dashboard/parts/table";
import { spanOf } from "#dashboard/parts/time";
import { ALERT_KINDS } from "#model/alert";
import { AlertRuleForm } from "./alert-rule-form";

type Rule = ItemOf<"GET /api/alert-rules">;

const REFRESH = ["/api/alert-rules", "/api/alerts"] as const;

/** Of what is only so or not so. */
const WRONG: Readonly<Partial<Record<Rule["kind"], string>>> = {
  audit_log: "not written, or not intact",
  drift: "drifting",
  tool_server: "not reachable",
  provider: "failing",
};

const ABOVE: Readonly<Record<Exclude<Rule["unit"], "state">, (value: number) => string>> = {
  percent: (value) => `above ${value} %`,
  usd: (value) => `above $${value}`,
  hours: (value) => `above ${value} hours`,
  milliseconds: (value) => `above ${value} ms`,
};

const seconds = (count: number): string => spanOf(count * 1_000);

const conditionOf = ({ unit, kind, threshold, for_seconds }: Rule): string => {
  const what = unit === "state" ? (WRONG[kind] ?? "wrong") : ABOVE[unit](threshold);
  return what + (for_seconds === 0 ? "" : ` for ${seconds(for_seconds)}`);
};

const COLUMNS: readonly Column<Rule>[] = [
  {
    name: "Rule",
    cell: ({ name, kind }) => (
      <>
        <span className="block font-medium">{name}</span>
        <span className="block text-[13px] text-muted">{ALERT_KINDS[kind].measures}</span>
      </>
    ),
  },
  { name: "Fires when", cell: conditionOf },
  { name: "Severity", cell: ({ severity }) => <Chip tone={toneOf(severity)}>{severity}</Chip> },
  {
    name: "State",
    cell: ({ enabled }) => <Chip tone={enabled ? "ok" : "idle"}>{enabled ? "on" : "off"}</Chip>,
  },
];

const ACTIONS: Column<Rule> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (rule) => <RuleActions rule={rule} />,
};

const RuleActions = ({ rule }: { readonly rule: Rule }) => {
  const [editing, setEditing] = useState(false);
  const change = useAct("PATCH /api/alert-rules/:id", { refresh: REFRESH, done: "Saved." });
  const remove = useAct("DELETE /api/alert-rules/:id", {
    refresh: REFRESH,
    done: rule.built_in ? "As it came." : "Rule removed.",
  });
  const params = { id: rule.id };
  return (
    <>
      <Menu
        label={`Actions for ${rule.name}`}
        items={[
          { label: "Edit…", icon: Pencil, onSelect: () => setEditing(true) },
          {
            label: rule.enabled ? "Disable" : "Enable",
            icon: rule.enabled ? Pause : Play,
            onSelect: () => change.mutate({ params, body: { enabled: !rule.enabled } }),
          },
          rule.changed && { label: "Reset", icon: RotateCcw, onSelect: () => remove.mutate({ params }) },
          !rule.built_in && { label: "Remove", icon: Trash2, danger: true, onSelect: () => remove.mutate({ params }) },
        ]}
      />
      {editing && <AlertRuleForm rule={rule} onClose={() => setEditing(false)} />}
    </>
  );
};

export const AlertRules = () => {
  const [adding, setAdding] = useState(false);
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/alert-rules", {});
  const add = isAdmin && (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      Add rule
    </Button>
  );
  return (
    <Card flush title="Rules" actions={add}>
      <Table
        label="Alert rules"
        list={list}
        columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
        keyOf={({ id }) => id}
        empty={null}
      />
      {adding && <AlertRuleForm onClose={() => setAdding(false)} />}
    </Card>
  );
};
