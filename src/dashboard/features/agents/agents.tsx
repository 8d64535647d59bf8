import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { useMakes, useSeesAll } from "#dashboard/app/session";
import { TierChip } from "#dashboard/features/reviews/review-tier";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Sparkline } from "#dashboard/parts/chart";
import { Chip, choicesOf, ScoreChip, StateChip } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, TextArea } from "#dashboard/parts/field";
import { FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { roughly, shareOf, usdOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { NOT_REVIEWED } from "#model/health/health";
import { TIERS } from "#policy/review/review";

type Agent = ItemOf<"GET /api/agents">;

/** A restriction can suspend an agent whose lifecycle goes on. */
const stateOf = ({ lifecycle, standing }: Agent): string =>
  lifecycle === "active" && standing.suspended ? "suspended" : lifecycle;

const COLUMNS: readonly Column<Agent>[] = [
  {
    name: "Agent",
    cell: ({ id, name, environment }) => (
      <>
        <Link to={`/agents/${id}`} className="block max-w-80 min-w-40 font-medium break-words hover:underline">
          {name}
        </Link>
        {environment && <span className="block text-[13px] text-muted">{environment}</span>}
      </>
    ),
  },
  { name: "Owner", cell: ({ owner }) => owner, minor: true },
  { name: "State", cell: (agent) => <StateChip of={stateOf(agent)} /> },
  { name: "Tier", cell: ({ standing: { risk_tier } }) => <TierChip tier={risk_tier} /> },
  {
    name: "Health",
    cell: ({ standing: { health_score, band, trend } }) => (
      <span className="inline-flex items-center gap-2">
        <ScoreChip score={health_score} band={band} />
        {band !== NOT_REVIEWED && trend.filter((one) => one !== null).length > 1 && (
          <span className="max-sm:hidden">
            <Sparkline values={trend} most={100} label={`Health of the last days: ${trendWords(trend)}`} />
          </span>
        )}
      </span>
    ),
  },
  { name: "Drift", cell: ({ standing }) => <StateChip of={standing.drift_status} /> },
  {
    name: "Restrictions",
    cell: ({ standing: { restrictions } }) =>
      restrictions === 0 ? (
        <span className="text-muted">none</span>
      ) : (
        <Chip tone="warn">{`${restrictions} in force`}</Chip>
      ),
  },
  {
    name: "Review",
    cell: ({ review_status, governed, profile_version }) => (
      <span className="whitespace-nowrap">
        <StateChip of={review_status} />
        <span className="ml-1.5 text-[13px] whitespace-nowrap text-muted">
          {governed ? `v${profile_version}` : "baseline"}
        </span>
      </span>
    ),
  },
  {
    name: "Calls, 24 h",
    align: "right",
    cell: ({ standing: { volume } }) =>
      volume.calls === 0 ? <span className="text-muted">0</span> : roughly(volume.calls),
  },
  {
    name: "Block rate, 24 h",
    align: "right",
    cell: ({ standing: { volume } }) => volume.block_rate !== null && shareOf(volume.block_rate),
  },
  {
    name: "Cost, 24 h",
    align: "right",
    cell: ({ standing: { volume } }) =>
      volume.calls > 0 && (
        <>
          {usdOf(volume.cost_usd)}
          {volume.unpriced_calls > 0 && (
            <span className="block text-[13px] text-muted">+ {roughly(volume.unpriced_calls)} unpriced</span>
          )}
        </>
      ),
  },
  { name: "Last call", cell: ({ standing }) => <Time at={standing.last_used_at} /> },
];

const trendWords = (trend: readonly (number | null)[]): string => {
  const scores = trend.filter((score) => score !== null);
  return scores.length === 0 ? "too few calls" : `from ${scores[0]} to ${scores.at(-1)}`;
};

/** Of agents that no profile governs. */
const NO_TIER = "none";
const TIER_CHOICES = [
  ...TIERS.toReversed().map((value) => ({ value, label: value })),
  { value: NO_TIER, label: "not set" },
];
const STATES = ["active", "suspended", "retired"];
const REVIEW_STATES = [
  "none",
  "draft",
  "submitted",
  "in_review",
  "changes_requested",
  "approved",
  "expiring",
  "expired",
];

const AgentsScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const seesAll = useSeesAll();
  const { values, filter, clear, active } = useFilters(["q", "state", "tier", "review"]);
  const list = useList("GET /api/agents", { query: { limit: 200, ...(seesAll && { all: true }) } });
  const words = values.q?.toLowerCase() ?? "";
  const items = list.items.filter(
    (agent) =>
      `${agent.name} ${agent.owner}`.toLowerCase().includes(words) &&
      (!values.review || values.review === agent.review_status) &&
      (!values.tier || values.tier === (agent.standing.risk_tier ?? NO_TIER)) &&
      (!values.state || values.state === stateOf(agent)),
  );
  const makes = useMakes();
  const add = makes && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      New agent
    </Button>
  );
  return (
    <Page title="Agents" hint="Registered agents with owner, state, health and restrictions." actions={add}>
      <Card flush>
        <FilterBar>
          <FilterText label="Name or owner" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={choicesOf(STATES)} />
          <FilterChoice label="Tier" {...filter("tier")} choices={TIER_CHOICES} />
          <FilterChoice label="Review" {...filter("review")} choices={choicesOf(REVIEW_STATES)} />
        </FilterBar>
        <Table
          label="Agents"
          list={{ ...list, items }}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/agents/${id}`}
          filters={{ active, clear }}
          empty={
            <Empty
              title="No agents yet."
              {...(makes && { command: <HubCommand words={COMMANDS.createAgent()} />, action: add })}
            >
              An agent has its own keys, review and profile. Keys without an agent use the baseline policy.
            </Empty>
          }
        />
      </Card>
      {adding && makes && <NewAgent onClose={() => setAdding(false)} />}
    </Page>
  );
};

const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const navigate = useNavigate();
  const create = useAct("POST /api/agents", {
    refresh: ["/api/agents"],
    done: "Agent registered.",
    quiet: true,
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: `/agents/${id}` });
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title="New agent"
      hint="You become the owner."
      submit="Register"
      act={create}
      onSubmit={() => create.mutate({ body: { name, ...(description ? { description } : {}) } })}
    >
      <Input label="Name" required maxLength={64} value={name} onValue={setName} />
      <TextArea label="Description" value={description} onValue={setDescription} />
    </FormDialog>
  );
};

export default AgentsScreen;
