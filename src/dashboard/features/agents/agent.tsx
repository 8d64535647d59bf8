import { Card, Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { AgentDrift } from "./agent-drift";
import { AgentEvidence } from "./agent-evidence";
import { type AgentData, AgentFrame } from "./agent-frame";
import { AgentHealth } from "./agent-health";
import { AgentKeys } from "./agent-keys";
import { AgentNextStep } from "./agent-next-step";
import { AgentRestrictions } from "./agent-restrictions";
import { AgentTraffic } from "./agent-traffic";

const AgentScreen = () => <AgentFrame>{(agent) => <Overview agent={agent} />}</AgentFrame>;

const EVERY_MS = 60_000;

const Overview = ({ agent }: { readonly agent: AgentData }) => {
  const params = { id: agent.id };
  const health = useGet("GET /api/agents/:id/health", { params }, { everyMs: EVERY_MS });
  const trend = useGet("GET /api/agents/:id/health/trend", { params });
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <AgentNextStep agent={agent} />
        <AgentTraffic agentId={agent.id} />
        <Await query={health} lines={8}>
          {(data) => (
            <>
              <AgentHealth health={data} trend={trend.data?.data ?? []} />
              <AgentDrift id={agent.id} drift={data.drift} />
            </>
          )}
        </Await>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Details">
          <AgentFacts agent={agent} />
        </Card>
        <AgentKeys agent={agent} />
        <AgentRestrictions agent={agent} />
        <AgentEvidence agent={agent} />
      </div>
    </div>
  );
};

const AgentFacts = ({ agent }: { readonly agent: AgentData }) => (
  <Facts
    rows={[
      ["Owner", agent.owner],
      ["Sponsor", agent.sponsor],
      ["Environment", agent.environment],
      ["Review", <StateChip key="review" of={agent.review_status} />],
      ["Review due", agent.review_due_at && <Time key="due" at={agent.review_due_at} plain />],
      [
        "Policy",
        agent.governed ? (
          <TextLink key="profile" to={`/agents/${agent.id}/profile`}>
            profile v{agent.profile_version}
          </TextLink>
        ) : (
          "baseline policy, until a review is approved"
        ),
      ],
      ["Registered", <Time key="created" at={agent.created_at} />],
      ["ID", <Id key="id" value={agent.id} />],
    ]}
  />
);

export default AgentScreen;
