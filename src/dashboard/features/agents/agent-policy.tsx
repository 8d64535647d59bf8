import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { LayerTag, layerName, RuleValue } from "#dashboard/features/policy/rule-value";
import { Card, ScrollBox } from "#dashboard/parts/card";
import { Select } from "#dashboard/parts/field";
import { Empty } from "#dashboard/parts/states";

type Rules = AnswerTo<"GET /api/agents/:id/effective">["explain"];
type Rule = Rules[number];

const GROUPS: readonly (readonly [prefix: string, title: string])[] = [
  ["models", "Models"],
  ["tools", "Tools"],
  ["commands", "Commands"],
  ["files", "Files"],
  ["hooks", "Hooks"],
  ["limits", "Limits"],
  ["watched_limits", "Limits in monitor mode"],
  ["egress", "Links in answers"],
  ["detectors.pii", "Personal data"],
  ["detectors.secret", "Secrets"],
  ["detectors.prompt_injection", "Prompt injection"],
  ["detectors", "Other findings"],
  ["", "Other"],
];

const groupOf = ({ field }: Rule): string =>
  GROUPS.find(
    ([prefix]) => prefix === "" || field === prefix || field.startsWith(`${prefix}.`) || field.startsWith(`${prefix}_`),
  )?.[1] ?? "Other";

/** All an agent is held to now, value by value, with the layer that says it. */
export const EffectivePolicy = ({ rules }: { readonly rules: Rules }) => {
  const [layer, setLayer] = useState("");
  const layers = [...new Set(rules.map(({ from }) => from))];
  const shown = layer === "" ? rules : rules.filter(({ from }) => from === layer);
  const groups = Map.groupBy(shown, groupOf);
  const titles = GROUPS.map(([, title]) => title).filter((title) => groups.has(title));
  return (
    <Card
      title="Effective policy"
      hint="The strictest of floor, profile and restrictions applies; “Source” shows which."
      flush
      actions={
        <div className="w-48">
          <Select
            label="Layer"
            hidden
            value={layer}
            onValue={setLayer}
            choices={[
              { value: "", label: "All layers" },
              ...layers.map((value) => ({ value, label: layerName(value) })),
            ]}
          />
        </div>
      }
    >
      {rules.length === 0 && (
        <Empty title="All calls are refused.">Agents without a profile are refused on this hub.</Empty>
      )}
      {titles.map((title) => (
        <section key={title} aria-label={title} className="border-b border-line px-4 py-3 last:border-b-0">
          <h3 className="mb-1.5 font-medium">{title}</h3>
          <ScrollBox label={`${title}, value by value`}>
            <table className="w-full text-left">
              <thead className="sr-only">
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Value</th>
                  <th scope="col">Source</th>
                </tr>
              </thead>
              <tbody>
                {groups.get(title)?.map((rule) => (
                  <tr key={`${rule.field} ${rule.from} ${JSON.stringify(rule.value)}`} className="align-top">
                    <th scope="row" className="w-56 py-1 pr-3 font-mono text-xs font-normal break-words">
                      {rule.field}
                    </th>
                    <td className="py-1 pr-3">
                      <RuleValue of={rule.value} />
                    </td>
                    <td className="w-40 py-1 text-right">
                      <LayerTag of={rule.from} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        </section>
      ))}
    </Card>
  );
};
