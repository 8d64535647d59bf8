import type { AnswerTo } from "#dashboard/api/client";
import { SpendCard } from "#dashboard/app/spend";
import { PeriodControls, TrafficChart, TrafficChoices, type TrafficView, useTrafficView } from "#dashboard/app/traffic";
import { FirstSteps } from "#dashboard/features/keys/first-steps";
import { Notices } from "#dashboard/features/notices/notices";
import { Bars } from "#dashboard/parts/bars";
import { Card, Stat } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useGet } from "#dashboard/parts/hooks";
import { countOf, roughly, shareOf, usdOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { spanOf, Time } from "#dashboard/parts/time";
import type { InboxKind } from "#features/inbox/schema";

type Overview = AnswerTo<"GET /api/overview">;

const OverviewScreen = () => {
  const view = useTrafficView();
  const overview = useGet("GET /api/overview", { query: view.query }, { everyMs: 30_000 });
  return (
    <Page title="Overview" actions={<PeriodControls view={view} />}>
      <FirstSteps />
      <Notices />
      <Await query={overview}>{(data) => <Summary data={data} view={view} />}</Await>
    </Page>
  );
};

const Summary = ({ data, view }: { readonly data: Overview; readonly view: TrafficView }) => (
  <>
    <Numbers data={data} />
    <Card
      title="Traffic"
      hint="Model and tool calls. Select a span to see its calls."
      actions={<TrafficChoices view={view} />}
    >
      <TrafficChart traffic={data} view={view} />
    </Card>
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <YourTurn turn={data.your_turn} />
      <Agents data={data} />
      <SpendCard />
    </div>
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <Card title="Findings" hint="By type.">
        <Top
          items={data.top_flags}
          empty="No findings in this period."
          to={(name) => `/calls?flag_type=${encodeURIComponent(name)}`}
        />
      </Card>
      <Card title="Busiest agents">
        <Top
          items={data.top_agents}
          empty="No calls of agents in this period."
          to={(name) => `/agents/${data.top_agents.find((one) => one.name === name)?.id ?? ""}`}
        />
      </Card>
      <Card title="Models">
        <Top
          items={data.top_models}
          empty="No model calls in this period."
          to={(name) => `/calls?model=${encodeURIComponent(name)}`}
        />
      </Card>
      <Card title="Cost by model">
        <Costs items={data.cost_by_model} to={({ name }) => `/calls?model=${encodeURIComponent(name)}`} />
      </Card>
      <Card title="Cost by agent">
        <Costs items={data.cost_by_agent} to={({ id }) => `/agents/${id}`} />
      </Card>
      <Card title="Cost by user" hint="Calls without an agent.">
        <Costs items={data.cost_by_user} to={({ id }) => `/calls?user_id=${encodeURIComponent(id)}`} />
      </Card>
    </div>
  </>
);

/** `+12.5% on the period before`; nothing where there is none to compare with. */
const changeOf = (now: number, before: number | undefined): string => {
  if (before === undefined) return "";
  if (before === 0) return now === 0 ? "" : ", none before";
  const change = now / before - 1;
  return `, ${change >= 0 ? "+" : "−"}${shareOf(Math.abs(change))} on the period before`;
};

/** Of the same calls as the rate above it. */
const blockedNote = ({ block, held, calls }: Overview["totals"], previous: Overview["previous"]): string => {
  const rate = previous?.block_rate;
  const before = rate == null ? "" : `, ${shareOf(rate)} before`;
  return `${roughly(block)} of ${roughly(calls)} calls${held > 0 ? `, ${roughly(held)} held` : ""}${before}`;
};

const msOf = (value: number | null): string => (value === null ? "–" : spanOf(value));

const Numbers = ({
  data: { totals, block_rate, scan_us, upstream_ms, tokens, cost, previous },
}: {
  readonly data: Overview;
}) => (
  <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
    <Stat
      label="Calls"
      value={roughly(totals.calls)}
      note={`${roughly(totals.refused)} refused, ${roughly(totals.error)} failed${changeOf(totals.calls, previous?.totals.calls)}`}
    />
    <Stat
      label="Blocked"
      value={block_rate === null ? "–" : shareOf(block_rate)}
      note={blockedNote(totals, previous)}
    />
    <Stat
      label="Redacted or flagged"
      value={roughly(totals.redact + totals.flag)}
      note={`${roughly(totals.redact)} redacted`}
    />
    <Stat
      label="Cost"
      value={usdOf(cost.usd)}
      note={`${cost.unpriced_calls > 0 ? `${countOf(cost.unpriced_calls, "call")} unpriced` : "all calls priced"}${changeOf(cost.usd, previous?.totals.cost_usd)}`}
    />
    <Stat
      label="Scan time, p95"
      value={msOf(scan_us.p95 === null ? null : scan_us.p95 / 1_000)}
      note={`median ${msOf(scan_us.p50 === null ? null : scan_us.p50 / 1_000)}`}
    />
    <Stat
      label="Provider latency, p95"
      value={msOf(upstream_ms.p95)}
      note={`${roughly(tokens.prompt + tokens.completion)} tokens`}
    />
  </div>
);

/** Where each is decided, and what it is called. */
const TURNS: readonly (readonly [key: keyof Overview["your_turn"], kind: InboxKind, one: string, more: string])[] = [
  ["held_calls", "held_call", "held call", "held calls"],
  ["reviews", "review", "review to decide", "reviews to decide"],
  ["tuning", "tuning", "tuning suggestion to approve", "tuning suggestions to approve"],
  ["policy", "policy", "policy change to approve", "policy changes to approve"],
  ["reports", "report", "report to decide", "reports to decide"],
  ["rebaselines", "rebaseline", "agent with drift", "agents with drift"],
  ["tool_definitions", "tool_definition", "tool server with pending tools", "tool servers with pending tools"],
];

/** What waits longest is one click away. */
const MAX_NEXT = "3";

const YourTurn = ({ turn }: { readonly turn: Overview["your_turn"] }) => (
  <Card title="Pending approvals" actions={<TextLink to="/inbox">Open inbox</TextLink>}>
    {turn.total === 0 ? (
      <p className="text-muted">All caught up.</p>
    ) : (
      <>
        <ul className="flex flex-col gap-1.5">
          {TURNS.filter(([key]) => turn[key] > 0).map(([key, kind, one, more]) => (
            <li key={key} className="flex items-center gap-2">
              <span className="min-w-7 rounded-full bg-accent-soft px-2 text-center font-semibold text-accent-strong">
                {turn[key]}
              </span>
              <TextLink to={`/inbox?kind=${kind}`}>{turn[key] === 1 ? one : more}</TextLink>
            </li>
          ))}
        </ul>
        <NextToDecide />
      </>
    )}
  </Card>
);

const NextToDecide = () => {
  const inbox = useGet("GET /api/inbox", { query: { limit: MAX_NEXT, grouped: true } }, { everyMs: 30_000 });
  const items = inbox.data?.data ?? [];
  if (items.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 text-[13px] text-muted">Waiting longest</h3>
      <ul aria-label="Waiting longest" className="mt-1 flex flex-col gap-1">
        {items.map(({ kind, id, url, title, since }) => (
          <li key={`${kind} ${id}`} className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 wrap-anywhere">
              <TextLink to={url}>{title}</TextLink>
            </span>
            <span className="shrink-0 text-[13px] text-muted">
              <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

const Agents = ({ data: { agents, active_restrictions } }: { readonly data: Overview }) => (
  <Card title="Agents" hint={`${agents.total} registered`} actions={<TextLink to="/agents">All agents</TextLink>}>
    {agents.total > 0 && <BandStrip agents={agents} />}
    <div className="mt-3 flex flex-wrap gap-2">
      {agents.suspended > 0 && <Chip tone="bad">{agents.suspended} suspended</Chip>}
      {active_restrictions > 0 && <Chip tone="warn">{countOf(active_restrictions, "restriction")} in force</Chip>}
      {agents.total === 0 && (
        <p className="text-muted">No agents yet. An agent has its own keys, review and profile.</p>
      )}
    </div>
  </Card>
);

/** From the worst to what is not known, as they are mended. */
const BANDS: readonly (readonly [band: string, word: string, fill: string])[] = [
  ["critical", "critical", "bg-bad"],
  ["degraded", "degraded", "bg-warn"],
  ["watch", "watch", "bg-warn/60"],
  ["healthy", "healthy", "bg-ok"],
  ["not_reviewed", "not reviewed", "bg-strong-line"],
  ["unknown", "without a score", "bg-strong-line/60"],
];

/** How many agents are in each band of health, as shares of one strip. */
const BandStrip = ({ agents }: { readonly agents: Overview["agents"] }) => {
  const known = BANDS.map(([band, word, fill]) => ({ band, word, fill, count: agents.by_band[band] ?? 0 }));
  const there = known.filter(({ count }) => count > 0);
  const words = there.map(({ word, count }) => `${count} ${word}`).join(", ");
  return (
    <div className="flex flex-col gap-2">
      <div
        role="img"
        aria-label={`Health of the agents: ${words}`}
        className="flex h-3 gap-0.5 overflow-hidden rounded-full"
      >
        {there.map(({ band, fill, count }) => (
          <span key={band} className={fill} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {there.map(({ band, word, fill, count }) => (
          <li key={band} className="inline-flex items-center gap-1.5">
            <span className={`size-2.5 rounded-sm ${fill}`} aria-hidden />
            <span className="font-medium">{count}</span> {word}
          </li>
        ))}
      </ul>
    </div>
  );
};

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

const Costs = <Item extends Overview["cost_by_model"][number]>({
  items,
  to,
}: {
  readonly items: readonly Item[];
  readonly to: (item: Item) => string;
}) =>
  items.length === 0 ? (
    <p className="text-muted">No costs in this period.</p>
  ) : (
    <Bars
      bars={items.map((item) => ({
        name: item.name,
        label: <TextLink to={to(item)}>{item.name}</TextLink>,
        value: item.cost_usd,
        text: usdOf(item.cost_usd),
      }))}
    />
  );

export default OverviewScreen;
