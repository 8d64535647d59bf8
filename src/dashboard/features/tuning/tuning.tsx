import { Link } from "@tanstack/react-router";
import { AgentFilter } from "#dashboard/app/found";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useList } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { SUGGESTION_STATES } from "#policy/tuning/suggestion";
import { aboutOf, EffectChip, kindName, type SuggestionData, subjectOf, TUNING_TABS } from "./tuning-words";

const STATES = choicesOf(SUGGESTION_STATES);
const EFFECTS = [
  { value: "loosen", label: "Loosens" },
  { value: "tighten", label: "Tightens" },
];

const COLUMNS: readonly Column<SuggestionData>[] = [
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
  { name: "Scope", cell: (one) => subjectOf(one) },
  {
    name: "Changed",
    align: "right",
    minor: true,
    cell: ({ impact }) => `${numberOf(impact.would_change)} of ${numberOf(impact.decisions)}`,
  },
  { name: "Requested by", cell: ({ approval }) => approval?.requested_by ?? "not requested", minor: true },
  { name: "Updated", cell: ({ updated_at }) => <Time at={updated_at} /> },
];

const TuningScreen = () => {
  const { values, filter, clear, active } = useFilters(["status", "effect", "agent_id"]);
  const list = useList("GET /api/tuning", { query: values });
  return (
    <Page
      title="Tuning"
      hint="Scanner changes for one agent or user. Changes that loosen need approval by another person."
      tabs={TUNING_TABS}
    >
      <Card flush>
        <FilterBar>
          <FilterChoice label="State" {...filter("status")} choices={STATES} />
          <FilterChoice label="Effect" {...filter("effect")} choices={EFFECTS} />
          <AgentFilter {...filter("agent_id")} />
        </FilterBar>
        <Table
          label="Tuning suggestions"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/tuning/${id}`}
          filters={{ active, clear }}
          empty={
            <Empty title="No tuning suggestions.">
              Dispute a wrong block on the page of the call. A confirmed false positive leads to a suggestion: the
              narrowest change that would have avoided it.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default TuningScreen;
