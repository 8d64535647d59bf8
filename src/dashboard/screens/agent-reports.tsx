import { useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type Agent, AgentFrame } from "./agent-frame";
import { reportColumns } from "./report-columns";

const COLUMNS = reportColumns(false);

const AgentReportsScreen = () => <AgentFrame>{(agent) => <Reports agent={agent} />}</AgentFrame>;

const Reports = ({ agent }: { readonly agent: Agent }) => {
  const list = useList("GET /api/reports", { query: { agent_id: agent.id } });
  return (
    <Card title="Reports" hint="Blocks that were disputed, and what passed that should not have." flush>
      <Table
        label="Reports about this agent"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        to={({ id }) => `/reports/${id}`}
        empty={
          <Empty title="No reports.">Every block says how to dispute it; the agent's own program can do it too.</Empty>
        }
      />
    </Card>
  );
};

export default AgentReportsScreen;
