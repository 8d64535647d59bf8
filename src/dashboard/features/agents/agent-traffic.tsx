import { PeriodControls, type Traffic, TrafficChart, TrafficChoices, useTrafficView } from "#dashboard/app/traffic";
import { Bars } from "#dashboard/parts/bars";
import { Card, Stat } from "#dashboard/parts/card";
import { useGet } from "#dashboard/parts/hooks";
import { countOf, numberOf, roughly, shareOf, usdOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";

const EVERY_MS = 60_000;

/** What an agent does: calls, blocks, cost and findings, over time. */
export const AgentTraffic = ({ agentId }: { readonly agentId: string }) => {
  const view = useTrafficView();
  const traffic = useGet("GET /api/traffic", { query: { ...view.query, agent_id: agentId } }, { everyMs: EVERY_MS });
  return (
    <Card title="Traffic" hint="Finished calls of models and tools" actions={<PeriodControls view={view} />}>
      <Await query={traffic} lines={8}>
        {(data) => (
          <div className="flex flex-col gap-4">
            <Figures data={data} />
            <TrafficChoices view={view} without="agent" />
            <TrafficChart traffic={data} view={view} filter={{ agent_id: agentId }} />
            <Tops data={data} agentId={agentId} />
          </div>
        )}
      </Await>
    </Card>
  );
};

const Figures = ({ data: { totals, tokens, cost, block_rate } }: { readonly data: Traffic }) => (
  <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
    <Stat label="Calls" value={roughly(totals.calls)} note={`${numberOf(totals.error)} failed`} />
    <Stat
      label="Blocked"
      value={block_rate === null ? "–" : shareOf(block_rate)}
      note={`${numberOf(totals.block)} blocked, ${numberOf(totals.redact)} redacted, ${numberOf(totals.refused)} refused`}
    />
    <Stat
      label="Cost"
      value={usdOf(cost.usd)}
      note={cost.unpriced_calls > 0 ? `without ${countOf(cost.unpriced_calls, "unpriced call")}` : undefined}
    />
    <Stat
      label="Tokens"
      value={roughly(tokens.prompt + tokens.completion)}
      note={`${roughly(tokens.prompt)} in, ${roughly(tokens.completion)} out`}
    />
  </div>
);

const Tops = ({ data, agentId }: { readonly data: Traffic; readonly agentId: string }) => (
  <div className="grid gap-6 md:grid-cols-2">
    <Top
      title="Findings"
      empty="No findings in this period."
      items={data.top_flags}
      to={(name) => `/calls?agent_id=${agentId}&flag_type=${encodeURIComponent(name)}`}
    />
    <Top
      title="Models"
      empty="No calls of models in this period."
      items={data.top_models}
      to={(name) => `/calls?agent_id=${agentId}&model=${encodeURIComponent(name)}`}
      costs={data.cost_by_model}
    />
  </div>
);

const Top = ({
  title,
  empty,
  items,
  to,
  costs = [],
}: {
  readonly title: string;
  readonly empty: string;
  readonly items: Traffic["top_flags"];
  readonly to: (name: string) => string;
  readonly costs?: Traffic["cost_by_model"];
}) => (
  <section className="min-w-0">
    <h3 className="mb-2 font-medium">{title}</h3>
    {items.length === 0 ? (
      <p className="text-muted">{empty}</p>
    ) : (
      <Bars
        bars={items.map(({ name, count }) => {
          const cost = costs.find((one) => one.name === name);
          return {
            name,
            label: <TextLink to={to(name)}>{name}</TextLink>,
            value: count,
            text: cost ? `${roughly(count)} · ${usdOf(cost.cost_usd)}` : roughly(count),
          };
        })}
      />
    )}
  </section>
);
