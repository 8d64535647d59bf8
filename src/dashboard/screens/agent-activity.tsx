import { Link } from "@tanstack/react-router";
import { type ItemOf, useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { roughly } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { spanOf, Time } from "#dashboard/parts/time";
import { type Agent, AgentFrame } from "./agent-frame";

type Call = ItemOf<"GET /api/calls">;

const FEW = 3;

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
    name: "Findings",
    minor: true,
    cell: ({ flags }) => (
      <span className="flex max-w-72 flex-wrap gap-1">
        {flags.slice(0, FEW).map(({ type }) => (
          <Tag key={type}>{type}</Tag>
        ))}
        {flags.length > FEW && <span className="text-muted">+{flags.length - FEW}</span>}
      </span>
    ),
  },
  { name: "Tokens", minor: true, align: "right", cell: (call) => roughly(call.total_tokens ?? 0) },
  { name: "Took", align: "right", cell: ({ total_ms }) => (total_ms === null ? "" : spanOf(total_ms)) },
];

const DECISIONS = ["allow", "flag", "redact", "block", "refused", "error", "change"];

const AgentActivityScreen = () => <AgentFrame>{(agent) => <Activity agent={agent} />}</AgentFrame>;

const Activity = ({ agent }: { readonly agent: Agent }) => {
  const { values, set, clear, active } = useFilters(["decision"]);
  const list = useList("GET /api/calls", { query: { ...values, agent_id: agent.id } });
  return (
    <Card title="Its calls" flush actions={<TextLink to={`/calls?agent_id=${agent.id}`}>All filters</TextLink>}>
      <FilterBar>
        <FilterChoice
          label="Decision"
          value={values.decision}
          onChange={(decision) => set({ decision })}
          choices={DECISIONS.map((value) => ({ value, label: value }))}
        />
      </FilterBar>
      <Table
        label="Calls of this agent"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        to={({ call_id }) => `/calls/${call_id}`}
        filters={{ active, clear }}
        empty={
          <Empty title="No calls yet." command={`guardhouse token create --user ${agent.owner} --agent ${agent.name}`}>
            Give its program a token of the agent, from Settings, Keys.
          </Empty>
        }
      />
    </Card>
  );
};

export default AgentActivityScreen;
