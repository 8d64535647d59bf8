import { Link } from "@tanstack/react-router";
import { type ItemOf, useGet, useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, FilterText, useFilters } from "#dashboard/parts/filters";
import { roughly } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { spanOf, Time } from "#dashboard/parts/time";

type Call = ItemOf<"GET /api/calls">;

const COLUMNS: readonly Column<Call>[] = [
  { name: "When", cell: ({ at }) => <Time at={at} /> },
  { name: "Decision", cell: ({ decision }) => <StateChip of={decision} /> },
  {
    name: "What",
    cell: ({ call_id, kind, model, tool, change }) => (
      <Link to={`/calls/${call_id}`} className="block max-w-72 truncate font-medium hover:underline">
        {tool ?? model ?? change?.subject ?? kind}
        <span className="block truncate text-[13px] font-normal text-muted">{kind}</span>
      </Link>
    ),
  },
  {
    name: "Caller",
    cell: ({ agent, user, via }) => (
      <span className="block max-w-56 truncate">
        {agent ?? user ?? via}
        {agent && <span className="block truncate text-[13px] text-muted">{user}</span>}
      </span>
    ),
  },
  {
    name: "Findings",
    cell: ({ flags }) => (
      <span className="flex max-w-72 flex-wrap gap-1">
        {flags.slice(0, 3).map(({ type }) => (
          <Tag key={type}>{type}</Tag>
        ))}
        {flags.length > 3 && <span className="text-muted">+{flags.length - 3}</span>}
      </span>
    ),
    minor: true,
  },
  {
    name: "Tokens",
    cell: ({ total_tokens }) => (total_tokens === null ? "" : roughly(total_tokens)),
    align: "right",
    minor: true,
  },
  { name: "Took", cell: ({ total_ms }) => (total_ms === null ? "" : spanOf(total_ms)), align: "right" },
];

const DECISIONS = ["allow", "flag", "redact", "block", "refused", "error", "change"];
const KINDS = ["chat.completion", "tool.call", "tool.list", "guard.scan"];

const CallsScreen = () => {
  const { values, set, clear, active } = useFilters([
    "decision",
    "kind",
    "flag_type",
    "agent_id",
    "user_id",
    "token_id",
    "model",
    "tool",
    "conversation_id",
    "since",
    "until",
  ]);
  const list = useList("GET /api/calls", { query: values });
  const agents = useGet("GET /api/agents", { query: { limit: "200" } });
  const choices = (names: readonly string[]) => names.map((value) => ({ value, label: value }));
  return (
    <Page title="Calls" hint="Everything that went through the hub, and everything that was changed about it.">
      <Card flush>
        <FilterBar>
          <FilterText
            label="Flag type, such as pii or secret.aws"
            value={values.flag_type}
            onChange={(flag_type) => set({ flag_type })}
          />
          <FilterChoice
            label="Decision"
            value={values.decision}
            onChange={(decision) => set({ decision })}
            choices={choices(DECISIONS)}
          />
          <FilterChoice label="Kind" value={values.kind} onChange={(kind) => set({ kind })} choices={choices(KINDS)} />
          <FilterChoice
            label="Agent"
            value={values.agent_id}
            onChange={(agent_id) => set({ agent_id })}
            choices={(agents.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        </FilterBar>
        <Table
          label="Calls"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ call_id }) => `/calls/${call_id}`}
          filters={{ active, clear }}
          empty={
            <Empty title="No calls yet.">
              Point an OpenAI client at <code className="font-mono">{location.origin}/v1</code> with a key from
              Settings, Keys.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default CallsScreen;
