import { Card } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useAnswersFor } from "./agent-actions";
import { type AgentData, AgentFrame } from "./agent-frame";
import { openReviewIn, StartReview } from "./agent-start-review";

type Review = ItemOf<"GET /api/agents/:id/reviews">;

const COLUMNS: readonly Column<Review>[] = [
  { name: "Review", cell: ({ id, number }) => <TextLink to={`/reviews/${id}`}>Review {number}</TextLink> },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  { name: "Tier", cell: ({ tier }) => <StateChip of={tier} /> },
  { name: "Submitted", cell: ({ submitted_at }) => <Time at={submitted_at} /> },
  { name: "By", cell: ({ submitted_by }) => submitted_by ?? "", minor: true },
  { name: "Last change", cell: ({ updated_at }) => <Time at={updated_at} />, minor: true },
];

const AgentReviewsScreen = () => <AgentFrame>{(agent) => <Reviews agent={agent} />}</AgentFrame>;

const Reviews = ({ agent }: { readonly agent: AgentData }) => {
  const list = useList("GET /api/agents/:id/reviews", { params: { id: agent.id } });
  const answers = useAnswersFor(agent) && agent.lifecycle !== "retired";
  const start = answers && !openReviewIn(list.items) && !list.isPending && <StartReview agentId={agent.id} />;
  return (
    <Card
      title="Reviews"
      hint="Nine sections of questions. Approved answers become the profile of the agent."
      actions={list.items.length > 0 && start}
      flush
    >
      <Table
        label="Reviews of this agent"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        to={({ id }) => `/reviews/${id}`}
        empty={
          <Empty title="No reviews yet." action={start || undefined}>
            The baseline policy applies until a review is approved.
          </Empty>
        }
      />
    </Card>
  );
};

export default AgentReviewsScreen;
