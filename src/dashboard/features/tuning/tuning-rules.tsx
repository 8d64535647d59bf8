import { useState } from "react";
import { Card } from "#dashboard/parts/card";
import { FilterBar, FilterChoice, FilterText, useFilters } from "#dashboard/parts/filters";
import { useList } from "#dashboard/parts/hooks";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { RevertRule, ruleColumns } from "./tuning-rule";
import { aboutOf, kindName, type Rule, subjectOf, TUNING_TABS } from "./tuning-words";

const RulesScreen = () => {
  const { values, filter, clear, active } = useFilters(["q", "effect", "rule"]);
  const [reverting, setReverting] = useState<Rule | null>(null);
  const list = useList("GET /api/tuning/rules", { query: { limit: "200" } });
  const words = values.q?.toLowerCase() ?? "";
  const items = list.items.filter(
    (rule) =>
      `${kindName(rule.kind)} ${aboutOf(rule)} ${subjectOf(rule)}`.toLowerCase().includes(words) &&
      (!values.effect || rule.effect === values.effect) &&
      (!values.rule || rule.id === values.rule),
  );
  return (
    <Page
      title="Tuning rules"
      hint="Active exceptions and additions to the policy, with scope and expiry."
      tabs={TUNING_TABS}
    >
      <Card flush>
        <FilterBar>
          <FilterText label="Type, agent or user" {...filter("q")} />
          <FilterChoice
            label="Effect"
            {...filter("effect")}
            choices={[
              { value: "loosen", label: "Loosens" },
              { value: "tighten", label: "Tightens" },
            ]}
          />
        </FilterBar>
        <Table
          label="Rules in force"
          list={{ ...list, items }}
          columns={ruleColumns(true, setReverting)}
          keyOf={({ id }) => id}
          filters={{ active, clear }}
          empty={<Empty title="No rules in force.">An approved suggestion becomes a rule when applied.</Empty>}
        />
      </Card>
      {reverting && <RevertRule rule={reverting} onClose={() => setReverting(null)} />}
    </Page>
  );
};

export default RulesScreen;
