import { COMMANDS } from "#core/command-line";
import { useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { HubCommand } from "#dashboard/parts/hub-command";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type Agent, AgentFrame } from "./agent-frame";
import { callColumns, DECISIONS } from "./call-columns";

const COLUMNS = callColumns(false);

const AgentActivityScreen = () => <AgentFrame>{(agent) => <Activity agent={agent} />}</AgentFrame>;

const Activity = ({ agent }: { readonly agent: Agent }) => {
  const { values, filter, clear, active } = useFilters(["decision"]);
  const list = useList("GET /api/calls", { query: { ...values, agent_id: agent.id } });
  return (
    <Card title="Its calls" flush actions={<TextLink to={`/calls?agent_id=${agent.id}`}>All filters</TextLink>}>
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
            Give its program a token of the agent, from Settings, Keys.
          </Empty>
        }
      />
    </Card>
  );
};

export default AgentActivityScreen;
