import { LayerTag, RuleValue } from "#dashboard/features/policy/rule-value";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { TextLink } from "#dashboard/parts/page";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import type { Call } from "./call-content";

type Policy = NonNullable<Call["policy"]>;
type Rule = Policy["explain"][number];

const COLUMNS: readonly Column<Rule>[] = [
  { name: "Setting", cell: ({ field }) => <code className="font-mono text-xs">{field}</code> },
  { name: "Value", cell: ({ value }) => <RuleValue of={value} /> },
  { name: "Source", cell: ({ from }) => <LayerTag of={from} /> },
];

/** What held for a call, and which layer said each of it. */
export const CallPolicyCard = ({
  policy,
  restrictions,
}: {
  readonly policy: Policy;
  readonly restrictions: Call["restrictions"];
}) => (
  <Card
    title="Effective policy"
    hint={
      policy.is_that_of_the_call
        ? "Policy layers at the time of the call."
        : "A layer has changed since the call: the current values are shown."
    }
    flush
  >
    <div className="border-b border-line p-4">
      <Facts
        rows={[
          [
            "Baseline",
            `revision ${policy.baseline.revision}${policy.baseline.revision === policy.baseline.current_revision ? "" : `, now ${policy.baseline.current_revision}`}`,
          ],
          ["Profile", policy.profile && `version ${policy.profile.version}`],
          [
            "Tuning",
            policy.tuning.rules.length === 0 ? null : (
              <ul key="tuning">
                {policy.tuning.rules.map(({ id, kind, effect, status }) => (
                  <li key={id} className="flex items-center gap-2">
                    <TextLink to={`/tuning/rules?rule=${id}`}>
                      {[effect, kind].filter(Boolean).join(" ") || "rule"}
                    </TextLink>
                    <StateChip of={status} />
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            "Restrictions",
            restrictions.length === 0 ? null : (
              <ul key="restrictions">
                {restrictions.map(({ id, kind, reason, starts_at }) => (
                  <li key={id}>
                    <Tag>{kind}</Tag> since <Time at={starts_at} />: {reason}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </div>
    <Table
      label="Effective policy of this call"
      list={known(policy.explain)}
      columns={COLUMNS}
      keyOf={({ field }) => field}
      empty={<p className="px-4 py-6 text-center text-muted">Baseline policy only.</p>}
    />
  </Card>
);
