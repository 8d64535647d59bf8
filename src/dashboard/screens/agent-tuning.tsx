import { useState } from "react";
import { useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { type Agent, AgentFrame } from "./agent-frame";
import { RevertRule, ruleColumns } from "./tuning-rule";
import type { Rule } from "./tuning-words";

const AgentTuningScreen = () => <AgentFrame>{(agent) => <Rules agent={agent} />}</AgentFrame>;

const Rules = ({ agent }: { readonly agent: Agent }) => {
  const [reverting, setReverting] = useState<Rule | null>(null);
  const list = useList("GET /api/tuning/rules", { query: { agent_id: agent.id } });
  return (
    <Card title="Tuning rules" hint="Where the scanner does something else for this agent, in force and over." flush>
      <Table
        label="Tuning rules"
        list={list}
        columns={ruleColumns(false, setReverting)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No tuning rules.">
            They come from reports: whoever disputes a block, or reports a miss, gets a suggestion that can be approved.
          </Empty>
        }
      />
      {reverting && <RevertRule rule={reverting} onClose={() => setReverting(null)} />}
    </Card>
  );
};

export default AgentTuningScreen;
