import { useState } from "react";
import { type ItemOf, useAct, useList } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip, spoken, Tag } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useAnswersFor } from "./agent-actions";
import { type Agent, AgentFrame } from "./agent-frame";

type Rule = ItemOf<"GET /api/tuning/rules">;

const COLUMNS: readonly Column<Rule>[] = [
  {
    name: "Rule",
    cell: ({ kind, match, suggestion_id, id }) => (
      <>
        <span className="font-medium">
          {suggestion_id ? <TextLink to={`/tuning/${suggestion_id}`}>{spoken(kind)}</TextLink> : spoken(kind)}
        </span>
        <span className="block max-w-96 truncate text-[13px] text-muted" title={id}>
          {JSON.stringify(match)}
        </span>
      </>
    ),
  },
  { name: "Effect", cell: ({ effect }) => <Chip tone={effect === "loosen" ? "warn" : "ok"}>{effect}</Chip> },
  { name: "Change", cell: ({ change }) => <Tag>{JSON.stringify(change)}</Tag>, minor: true },
  { name: "Mode", cell: ({ mode }) => <StateChip of={mode} /> },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  {
    name: "Hits",
    align: "right",
    cell: ({ hits, last_hit_at, unused }) => (
      <>
        {numberOf(hits)}
        <span className="block text-[13px] text-muted">
          {unused ? "unused: it could go" : last_hit_at ? <Time at={last_hit_at} /> : "none yet"}
        </span>
      </>
    ),
  },
  { name: "Ends", cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "when it is reverted") },
];

const AgentTuningScreen = () => <AgentFrame>{(agent) => <Rules agent={agent} />}</AgentFrame>;

const Rules = ({ agent }: { readonly agent: Agent }) => {
  const [reverting, setReverting] = useState<Rule | null>(null);
  const list = useList("GET /api/tuning/rules", { query: { agent_id: agent.id } });
  const answers = useAnswersFor(agent);
  const columns: readonly Column<Rule>[] = answers
    ? [
        ...COLUMNS,
        {
          name: "What to do",
          hidden: true,
          align: "right",
          cell: (rule) =>
            rule.status === "active" && (
              <Button small onClick={() => setReverting(rule)}>
                Revert
              </Button>
            ),
        },
      ]
    : COLUMNS;
  return (
    <Card title="Tuning rules" hint="Where the scanner does something else for this agent, in force and over." flush>
      <Table
        label="Tuning rules"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No tuning rules.">
            They come from reports: whoever disputes a block, or reports a miss, gets a suggestion that can be approved.
          </Empty>
        }
      />
      {reverting && <Revert rule={reverting} onClose={() => setReverting(null)} />}
    </Card>
  );
};

const Revert = ({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }) => {
  const act = useAct("POST /api/tuning/rules/:id/revert", {
    refresh: ["/api/tuning", "/api/agents", "/api/inbox"],
    done: rule.effect === "loosen" ? "The rule is over." : "Done, or suggested where it takes an approval.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Revert this rule"
      submit="Revert"
      act={act}
      onConfirm={() => act.mutate({ params: { id: rule.id } })}
    >
      {rule.effect === "loosen"
        ? "The scanner is as strict as before from the next call on."
        : "This would make the scanner looser: it becomes a suggestion that somebody else approves."}
    </Confirm>
  );
};

export default AgentTuningScreen;
