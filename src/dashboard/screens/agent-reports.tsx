import { type ItemOf, useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { StateChip, spoken, Tag } from "#dashboard/parts/chip";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { type Agent, AgentFrame } from "./agent-frame";

type Report = ItemOf<"GET /api/reports">;

const COLUMNS: readonly Column<Report>[] = [
  { name: "When", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: "Report",
    cell: ({ id, direction }) => (
      <TextLink to={`/reports/${id}`}>{direction === "false_positive" ? "dispute" : "miss"}</TextLink>
    ),
  },
  {
    name: "About",
    cell: ({ flag_types }) => (
      <span className="flex flex-wrap gap-1">
        {flag_types.map((type) => (
          <Tag key={type}>{type}</Tag>
        ))}
      </span>
    ),
  },
  { name: "Section", cell: ({ questionnaire_section }) => spoken(questionnaire_section), minor: true },
  { name: "Model says", cell: ({ llm_verdict }) => <StateChip of={llm_verdict} />, minor: true },
  { name: "Decision", cell: ({ decision }) => <StateChip of={decision} /> },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
];

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
