import { COMMANDS } from "#core/command-line";
import { callColumns, DECISIONS } from "#dashboard/features/calls/call-columns";
import { Card } from "#dashboard/parts/card";
import { HubCommand } from "#dashboard/parts/copy";
import { chosenOf, FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useList } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type AgentData, AgentFrame } from "./agent-frame";

const COLUMNS = callColumns(false);

const AgentActivityScreen = () => <AgentFrame>{(agent) => <Activity agent={agent} />}</AgentFrame>;

const Activity = ({ agent }: { readonly agent: AgentData }) => {
  const { values, filter, clear, active } = useFilters(["decision"]);
  const list = useList("GET /api/calls", {
    query: { decision: chosenOf(DECISIONS, values.decision), agent_id: agent.id },
  });
  return (
    <Card title="Calls" flush actions={<TextLink to={`/calls?agent_id=${agent.id}`}>All filters</TextLink>}>
      <FilterBar>
        <FilterChoice label="Decision" {...filter("decision")} choices={DECISIONS} />
      </FilterBar>
      <Table
        label="Calls of this agent"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        to={({ call_id }) => `/calls/${call_id}`}
        filters={{ active, clear }}
        empty={
          <Empty
            title="No calls yet."
            command={<HubCommand words={COMMANDS.createAgentToken(agent.owner, agent.name)} />}
          >
            Create a key for this agent under Settings, Keys.
          </Empty>
        }
      />
    </Card>
  );
};

export default AgentActivityScreen;
