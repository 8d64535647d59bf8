import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { useMakes, useSeesAll } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { choicesOf } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, TextArea } from "#dashboard/parts/field";
import { chosenOf, FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { useAct, useList } from "#dashboard/parts/hooks";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { TIERS } from "#policy/review/review";
import { AGENT_COLUMNS, useAgentOrder } from "./agent-columns";

/** Of a page of the list: more come by Show more. */
const ROWS = 100;
/** Of agents that no profile governs. */
const NO_TIER = { value: "none", label: "not set" } as const;
const TIER_CHOICES = [...choicesOf(TIERS.toReversed()), NO_TIER];
const STATES = choicesOf(["active", "suspended", "retired"] as const);
const REVIEW_STATES = choicesOf([
  "draft",
  "submitted",
  "in_review",
  "changes_requested",
  "approved",
  "expiring",
  "expired",
  "revoked",
] as const);

const AgentsScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const seesAll = useSeesAll();
  const { values, filter, clear, active } = useFilters(["q", "state", "tier", "review"]);
  const order = useAgentOrder();
  const list = useList("GET /api/agents", {
    query: {
      limit: ROWS,
      all: seesAll || undefined,
      q: values.q,
      state: chosenOf(STATES, values.state),
      tier: chosenOf(TIER_CHOICES, values.tier),
      review_status: chosenOf(REVIEW_STATES, values.review),
      sort: order.asked,
    },
  });
  const makes = useMakes();
  const add = makes && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      New agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      hint="Registered agents with their state, health and calls of the last 24 hours."
      actions={add}
    >
      <Card flush>
        <FilterBar>
          <FilterText label="Name or owner" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={STATES} />
          <FilterChoice label="Tier" {...filter("tier")} choices={TIER_CHOICES} />
          <FilterChoice label="Review" {...filter("review")} choices={REVIEW_STATES} />
        </FilterBar>
        <Table
          label="Agents"
          list={list}
          columns={AGENT_COLUMNS}
          sorting={order}
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
      <Input
        label="Name"
        hint="Unique per owner; spaces are allowed."
        required
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <TextArea label="Description" value={description} onValue={setDescription} />
    </FormDialog>
  );
};

export default AgentsScreen;
