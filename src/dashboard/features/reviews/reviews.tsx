import { Card } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { TierChip } from "./review-tier";

type Review = ItemOf<"GET /api/reviews">;

const COLUMNS: readonly Column<Review>[] = [
  {
    name: "Agent",
    cell: ({ id, agent, number }) => (
      <>
        <TextLink to={`/reviews/${id}`}>{agent}</TextLink>
        <span className="block text-[13px] text-muted">review {number}</span>
      </>
    ),
  },
  { name: "Owner", cell: ({ owner }) => owner, minor: true },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  { name: "Tier", cell: ({ tier }) => <TierChip tier={tier} /> },
  {
    name: "Change",
    cell: ({ material, number }) =>
      number === 1 ? "first review" : material ? <Chip tone="warn">material</Chip> : "details",
    minor: true,
  },
  { name: "Approvals", cell: ({ required }) => (required === null ? "" : `${required} required`), minor: true },
  { name: "Submitted", cell: ({ submitted_at }) => <Time at={submitted_at} /> },
];

const WAITING = "submitted,in_review";
const STATES = [
  { value: WAITING, label: "Waiting for a reviewer" },
  { value: "draft,changes_requested", label: "Changes requested" },
  { value: "approved", label: "Approved" },
  { value: "rejected,withdrawn", label: "Rejected or withdrawn" },
] as const;

const ReviewsScreen = () => {
  const { values, set, clear } = useFilters(["status"]);
  const status = values.status ?? WAITING;
  const list = useList("GET /api/reviews", { query: { status } });
  return (
    <Page title="Reviews" hint="Owners answer nine sections about an agent; approved answers become its profile.">
      <Card flush>
        <FilterBar>
          <FilterChoice
            label="State"
            required
            value={status}
            onChange={(next) => set({ status: next === WAITING ? "" : next })}
            choices={STATES}
          />
        </FilterBar>
        <Table
          label="Reviews"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/reviews/${id}`}
          filters={{ active: status !== WAITING, clear }}
          empty={
            <Empty title="No pending reviews." action={<TextLink to="/agents">View agents</TextLink>}>
              A review is started on its agent's screen, under Reviews.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default ReviewsScreen;
