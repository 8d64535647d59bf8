import { lazy, Suspense } from "react";
import type { Answer } from "#dashboard/api/client";
import { useGet } from "#dashboard/api/hooks";
import { FirstSteps } from "#dashboard/app/first-steps";
import { Bars } from "#dashboard/parts/bars";
import { Card, Stat } from "#dashboard/parts/card";
import { Chart } from "#dashboard/parts/chart";
import { Chip, spoken, toneOf } from "#dashboard/parts/chip";
import { FilterChoice, useFilters } from "#dashboard/parts/filters";
import { roughly, shareOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Loading } from "#dashboard/parts/states";
import { spanOf } from "#dashboard/parts/time";

type Overview = Answer<"GET /api/overview">;

const TimeSeries = lazy(() => import("#dashboard/parts/time-series"));

const WINDOWS = [
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

const OverviewScreen = () => {
  const { values, set } = useFilters(["window"]);
  const window = values.window ?? "24h";
  const overview = useGet("GET /api/overview", { query: { window } }, { everyMs: 30_000 });
  return (
    <Page
      title="Overview"
      actions={
        <FilterChoice
          label="Window"
          value={window}
          onChange={(next) => set({ window: next })}
          choices={WINDOWS}
          required
        />
      }
    >
      <FirstSteps />
      <Await query={overview}>{(data) => <Summary data={data} />}</Await>
    </Page>
  );
};

const Summary = ({ data }: { readonly data: Overview }) => (
  <>
    {data.kill_switch.on && (
      <p role="status" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 font-medium text-bad">
        A kill switch is on: calls are refused. <TextLink to="/settings/kill-switch">See which, and why</TextLink>
      </p>
    )}
    <Numbers data={data} />
    <Card title="Traffic" hint="Calls of models and tools, and the share of them that was blocked.">
      <Traffic data={data} />
    </Card>
    <div className="grid gap-4 lg:grid-cols-2">
      <YourTurn turn={data.your_turn} />
      <Agents data={data} />
      <Card title="Flags raised" hint="What the scanner found, by type.">
        <Top items={data.top_flags} empty="Nothing was found in this time." to={(name) => `/calls?flag_type=${name}`} />
      </Card>
      <Card title="Busiest agents">
        <Top
          items={data.top_agents}
          empty="No agent called in this time."
          to={(name) => `/agents/${data.top_agents.find((one) => one.name === name)?.id ?? ""}`}
        />
      </Card>
      <Card title="Models">
        <Top items={data.top_models} empty="No model was called in this time." to={(name) => `/calls?model=${name}`} />
      </Card>
    </div>
  </>
);

const msOf = (value: number | null): string => (value === null ? "–" : spanOf(value));

const Numbers = ({ data: { totals, block_rate, scan_us, upstream_ms, tokens } }: { readonly data: Overview }) => (
  <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
    <Stat
      label="Calls"
      value={roughly(totals.calls)}
      note={`${roughly(totals.refused)} refused, ${roughly(totals.error)} failed`}
    />
    <Stat
      label="Blocked"
      value={block_rate === null ? "–" : shareOf(block_rate)}
      note={`${roughly(totals.block)} of ${roughly(totals.calls)} calls`}
    />
    <Stat
      label="Redacted or flagged"
      value={roughly(totals.redact + totals.flag)}
      note={`${roughly(totals.redact)} redacted`}
    />
    <Stat
      label="Scanning, p95"
      value={msOf(scan_us.p95 === null ? null : scan_us.p95 / 1_000)}
      note={`median ${msOf(scan_us.p50 === null ? null : scan_us.p50 / 1_000)}`}
    />
    <Stat
      label="Upstream, p95"
      value={msOf(upstream_ms.p95)}
      note={`${roughly(tokens.prompt + tokens.completion)} tokens`}
    />
  </div>
);

const at = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

const Traffic = ({ data: { series, totals, block_rate } }: { readonly data: Overview }) => (
  <Chart
    summary={`${roughly(totals.calls)} calls, ${roughly(totals.block)} blocked${block_rate === null ? "" : ` (${shareOf(block_rate)})`}.`}
    table={{
      columns: ["From", "Calls", "Allowed", "Flagged", "Redacted", "Blocked", "Refused", "Failed"],
      rows: series
        .filter(({ calls }) => calls > 0)
        .map((one) => [
          at.format(new Date(one.at)),
          ...[one.calls, one.allow, one.flag, one.redact, one.block, one.refused, one.error],
        ]),
    }}
  >
    <Suspense fallback={<Loading lines={5} />}>
      <TimeSeries
        times={series.map((one) => Date.parse(one.at) / 1_000)}
        series={[
          { name: "Calls", colour: "--accent", values: series.map(({ calls }) => calls), filled: true },
          { name: "Blocked", colour: "--bad", values: series.map(({ block }) => block) },
          {
            name: "Block rate",
            colour: "--warn",
            share: true,
            values: series.map(({ block, calls }) => (calls === 0 ? null : block / calls)),
          },
        ]}
      />
    </Suspense>
  </Chart>
);

const TURNS: readonly (readonly [key: keyof Overview["your_turn"], label: string])[] = [
  ["reviews", "reviews to decide"],
  ["tuning", "changes of the scanner to approve"],
  ["policy", "baseline policies to approve"],
  ["held_calls", "calls that wait for a person"],
  ["reports", "reports that need a person"],
  ["tool_definitions", "tools that changed"],
  ["rebaselines", "new baselines to approve"],
];

const YourTurn = ({ turn }: { readonly turn: Overview["your_turn"] }) => (
  <Card title="Your turn" actions={<TextLink to="/inbox">Open the inbox</TextLink>}>
    {turn.total === 0 ? (
      <p className="text-muted">Nothing waits for you.</p>
    ) : (
      <ul className="flex flex-col gap-1.5">
        {TURNS.filter(([key]) => turn[key] > 0).map(([key, label]) => (
          <li key={key} className="flex items-center gap-2">
            <span className="min-w-7 rounded-full bg-accent-soft px-2 text-center font-semibold text-accent-strong">
              {turn[key]}
            </span>
            {label}
          </li>
        ))}
      </ul>
    )}
  </Card>
);

const Agents = ({ data: { agents, active_restrictions } }: { readonly data: Overview }) => (
  <Card title="Agents" hint={`${agents.total} registered`} actions={<TextLink to="/agents">All agents</TextLink>}>
    <div className="flex flex-wrap gap-2">
      {Object.entries(agents.by_band)
        .filter(([, count]) => count > 0)
        .map(([band, count]) => (
          <Chip key={band} tone={toneOf(band)}>
            {count} {spoken(band)}
          </Chip>
        ))}
      {agents.suspended > 0 && <Chip tone="bad">{agents.suspended} suspended</Chip>}
      {active_restrictions > 0 && <Chip tone="warn">{active_restrictions} restrictions in force</Chip>}
      {agents.total === 0 && <p className="text-muted">None yet.</p>}
    </div>
  </Card>
);

const Top = ({
  items,
  empty,
  to,
}: {
  readonly items: Overview["top_flags"];
  readonly empty: string;
  readonly to: (name: string) => string;
}) =>
  items.length === 0 ? (
    <p className="text-muted">{empty}</p>
  ) : (
    <Bars
      bars={items.map(({ name, count }) => ({
        name,
        label: <TextLink to={to(name)}>{name}</TextLink>,
        value: count,
        text: roughly(count),
      }))}
    />
  );

export default OverviewScreen;
