import { Link } from "@tanstack/react-router";
import { SUGGESTION_STATES } from "#core/tuning/suggestion";
import { useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { numberOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { AgentFilter } from "./agent-filter";
import { EffectChip } from "./tuning-effect";
import { aboutOf, kindName, type Suggestion, subjectOf, TUNING_TABS } from "./tuning-words";

const STATES = choicesOf(SUGGESTION_STATES);
const EFFECTS = [
  { value: "loosen", label: "Loosens" },
  { value: "tighten", label: "Tightens" },
];

const COLUMNS: readonly Column<Suggestion>[] = [
  {
    name: "Change",
    cell: (one) => (
      <>
        <Link to={`/tuning/${one.id}`} className="font-medium hover:underline">
          {kindName(one.kind)}
        </Link>
        <span className="block max-w-96 truncate text-[13px] text-muted">{aboutOf(one)}</span>
      </>
    ),
  },
  { name: "Effect", cell: ({ effect }) => <EffectChip effect={effect} /> },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  { name: "For", cell: (one) => subjectOf(one) },
  {
    name: "Would change",
    align: "right",
    minor: true,
    cell: ({ impact }) => `${numberOf(impact.would_change)} of ${numberOf(impact.decisions)}`,
  },
  { name: "Asked by", cell: ({ approval }) => approval?.requested_by ?? "nobody yet", minor: true },
  { name: "Since", cell: ({ updated_at }) => <Time at={updated_at} /> },
];

const TuningScreen = () => {
  const { values, filter, clear, active } = useFilters(["status", "effect", "agent_id"]);
  const list = useList("GET /api/tuning", { query: values });
  return (
    <Page
      title="Tuning"
      hint="Changes of the scanner for one agent or person. Whatever loosens needs somebody else's approval."
      tabs={TUNING_TABS}
    >
      <Card flush>
        <FilterBar>
          <FilterChoice label="State" {...filter("status")} choices={STATES} />
          <FilterChoice label="Effect" {...filter("effect")} choices={EFFECTS} />
          <AgentFilter {...filter("agent_id")} />
        </FilterBar>
        <Table
          label="Suggested changes"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/tuning/${id}`}
          filters={{ active, clear }}
          empty={
            <Empty title="Nothing is suggested.">
              Dispute a wrong block from its call: once it is found to be wrong, the narrowest change that would have
              avoided it is suggested here.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default TuningScreen;
