import { reportColumns } from "#dashboard/features/reports/report-columns";
import { Card } from "#dashboard/parts/card";
import { useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type AgentData, AgentFrame } from "./agent-frame";

const COLUMNS = reportColumns(false);

const AgentReportsScreen = () => <AgentFrame>{(agent) => <Reports agent={agent} />}</AgentFrame>;

const Reports = ({ agent }: { readonly agent: AgentData }) => {
  const list = useList("GET /api/reports", { query: { agent_id: agent.id } });
  return (
    <Card title="Reports" hint="Disputed blocks and missed findings." flush>
      <Table
        label="Reports about this agent"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        to={({ id }) => `/reports/${id}`}
        empty={
          <Empty title="No reports.">
            Every block error explains how to dispute it; the agent can do so through the API, too.
          </Empty>
        }
      />
    </Card>
  );
};

export default AgentReportsScreen;
