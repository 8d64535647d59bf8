import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { AgentSelect, UserSelect } from "#dashboard/app/found";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { SpendCard } from "#dashboard/app/spend";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { shareOf, usdOf } from "#dashboard/parts/numbers";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";

type Budget = ItemOf<"GET /api/budgets">;

const REFRESH = ["/api/budgets"] as const;

const nameOf = ({ scope, subject, subject_id }: Budget): string =>
  scope === "hub" ? "Whole hub" : (subject ?? subject_id ?? scope);

const Used = ({ of: { spent_usd, limit_usd } }: { readonly of: Budget }) => {
  const share = limit_usd > 0 ? spent_usd / limit_usd : 1;
  const tone = share >= 0.95 ? "bad" : share >= 0.75 ? "warn" : "ok";
  return <Chip tone={tone}>{shareOf(share)}</Chip>;
};

/** At the end of the window, beside the limit it will or will not keep. */
const Expected = ({ of: { expected_usd, limit_usd } }: { readonly of: Budget }) => {
  if (expected_usd === null) return <span className="text-muted">–</span>;
  const text = `≈ ${usdOf(expected_usd)}`;
  return expected_usd > limit_usd ? <Chip tone="warn">{`${text}, over`}</Chip> : text;
};

const COLUMNS: readonly Column<Budget>[] = [
  {
    name: "Budget",
    cell: (budget) => (
      <>
        <span className="block font-medium">{nameOf(budget)}</span>
        <span className="block text-[13px] text-muted">
          {budget.scope}, per {budget.period}
        </span>
      </>
    ),
  },
  { name: "Limit", align: "right", cell: ({ limit_usd }) => usdOf(limit_usd) },
  { name: "Spent", align: "right", cell: ({ spent_usd }) => usdOf(spent_usd) },
  { name: "Used", cell: (budget) => <Used of={budget} /> },
  { name: "Expected", align: "right", cell: (budget) => <Expected of={budget} /> },
  { name: "Renews", cell: ({ window_end }) => <Time at={window_end} />, minor: true },
];

const ACTIONS: Column<Budget> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (budget) => <BudgetActions budget={budget} />,
};

const BudgetActions = ({ budget }: { readonly budget: Budget }) => {
  const [removing, setRemoving] = useState(false);
  const remove = useAct("DELETE /api/budgets", {
    refresh: REFRESH,
    done: "Budget removed.",
    close: () => setRemoving(false),
  });
  const { scope, subject_id, period } = budget;
  const name = nameOf(budget);
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={[{ label: "Remove…", icon: Trash2, danger: true, onSelect: () => setRemoving(true) }]}
      />
      {removing && (
        <Confirm
          onClose={() => setRemoving(false)}
          title="Remove budget?"
          submit="Remove"
          act={remove}
          onConfirm={() => remove.mutate({ query: { scope, period, ...(subject_id !== null && { subject_id }) } })}
        >
          {name} may spend without this limit. What was spent in this {period} stays noted.
        </Confirm>
      )}
    </>
  );
};

const SCOPES = [
  { value: "agent", label: "An agent" },
  { value: "user", label: "A user" },
  { value: "hub", label: "The whole hub" },
] as const;
const PERIODS = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
] as const;

const SetBudget = ({ onClose }: { readonly onClose: () => void }) => {
  const [scope, setScope] = useState<Budget["scope"]>("agent");
  const [period, setPeriod] = useState<Budget["period"]>("month");
  const [subject, setSubject] = useState("");
  const [limit, setLimit] = useState("");
  const set = useAct("PUT /api/budgets", { refresh: REFRESH, close: onClose, done: "Budget set." });
  const save = () =>
    set.mutate({
      body: { scope, period, limit_usd: Number(limit), ...(scope !== "hub" && { subject_id: subject }) },
    });
  return (
    <FormDialog
      onClose={onClose}
      title="Set budget"
      hint="Calls that would exceed it are refused. Days, weeks from Monday and months are in UTC."
      submit="Set"
      act={set}
      disabled={limit.trim() === "" || !(Number(limit) >= 0) || (scope !== "hub" && subject === "")}
      onSubmit={save}
    >
      <Select
        label="For"
        value={scope}
        onValue={(next) => {
          setScope(next);
          setSubject("");
        }}
        choices={SCOPES}
      />
      {scope === "agent" && <AgentSelect label="Agent" value={subject} onValue={setSubject} />}
      {scope === "user" && <UserSelect label="User" value={subject} onValue={setSubject} />}
      <Select label="Period" value={period} onValue={setPeriod} choices={PERIODS} />
      <Input label="Limit in US dollars" inputMode="decimal" value={limit} onValue={setLimit} />
    </FormDialog>
  );
};

const EXPECTED_HINT =
  "Expected: what is spent, and the mean of the last three to seven whole days for the rest of the window; not for users.";

const BudgetsScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/budgets", {});
  const add = isAdmin && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Set budget
    </Button>
  );
  return (
    <SettingsPage title="Budgets" hint="What agents, users and the hub may spend." actions={add}>
      <SpendCard />
      <Card flush hint={EXPECTED_HINT} title="Budgets">
        <Table
          label="Budgets"
          list={list}
          columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
          keyOf={({ scope, subject_id, period }) => `${scope} ${subject_id} ${period}`}
          empty={
            <Empty title="No budgets." action={add}>
              Calls cost what they cost. Warnings come at 75 % and 95 % of a budget.
            </Empty>
          }
        />
      </Card>
      {isAdmin && adding && <SetBudget onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default BudgetsScreen;
