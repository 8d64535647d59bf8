import { useState } from "react";
import { RevertRule, ruleColumns } from "#dashboard/features/tuning/tuning-rule";
import type { Rule } from "#dashboard/features/tuning/tuning-words";
import { Card } from "#dashboard/parts/card";
import { useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type AgentData, AgentFrame } from "./agent-frame";

const AgentTuningScreen = () => <AgentFrame>{(agent) => <Rules agent={agent} />}</AgentFrame>;

const Rules = ({ agent }: { readonly agent: AgentData }) => {
  const [reverting, setReverting] = useState<Rule | null>(null);
  const list = useList("GET /api/tuning/rules", { query: { agent_id: agent.id } });
  return (
    <Card title="Tuning rules" hint="Exceptions and additions to the scanner for this agent, in force and ended." flush>
      <Table
        label="Tuning rules"
        list={list}
        columns={ruleColumns(false, setReverting)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No tuning rules.">
            A dispute or miss report leads to a tuning suggestion; once approved and applied it becomes a rule.
          </Empty>
        }
      />
      {reverting && <RevertRule rule={reverting} onClose={() => setReverting(null)} />}
    </Card>
  );
};

export default AgentTuningScreen;
