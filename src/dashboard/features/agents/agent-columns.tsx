import { Link } from "@tanstack/react-router";
import { TierChip } from "#dashboard/features/reviews/review-tier";
import { Sparkline } from "#dashboard/parts/chart";
import { Chip, ScoreChip, StateChip } from "#dashboard/parts/chip";
import { useFilters } from "#dashboard/parts/filters";
import type { ItemOf } from "#dashboard/parts/hooks";
import { roughly, shareOf, usdOf } from "#dashboard/parts/numbers";
import type { Column, Sorting } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { NOT_REVIEWED } from "#model/health/health";

type Agent = ItemOf<"GET /api/agents">;

/** A restriction can suspend an agent whose lifecycle goes on. */
export const stateOf = ({ lifecycle, standing }: Agent): string =>
  lifecycle === "active" && standing.suspended ? "suspended" : lifecycle;

/** Drift that is worth a word in a list. */
const DRIFTS: readonly string[] = ["watch", "drifting"];

export const AGENT_COLUMNS: readonly Column<Agent>[] = [
  {
    name: "Agent",
    cell: ({ id, name, environment, owner }) => (
      <>
        <Link to={`/agents/${id}`} className="block max-w-80 min-w-40 font-medium break-words hover:underline">
          {name}
        </Link>
        <span className="block max-w-80 text-[13px] wrap-anywhere text-muted">
          {environment ? `${owner} · ${environment}` : owner}
        </span>
      </>
    ),
  },
  {
    name: "State",
    cell: (agent) => (
      <span className="flex flex-wrap gap-1">
        <StateChip of={stateOf(agent)} />
        {agent.standing.restrictions > 0 && <Chip tone="warn">{`${agent.standing.restrictions} restricted`}</Chip>}
        {DRIFTS.includes(agent.standing.drift_status) && <StateChip of={agent.standing.drift_status} />}
      </span>
    ),
  },
  {
    name: "Health",
    sort: "health",
    cell: ({ standing: { health_score, band, trend } }) => (
      <span className="inline-flex items-center gap-2">
        <ScoreChip score={health_score} band={band} />
        {band !== NOT_REVIEWED && trend.filter((one) => one !== null).length > 1 && (
          <span className="max-sm:hidden">
            <Sparkline values={trend} most={100} label={`Health of the last days: ${trendWords(trend)}`} />
          </span>
        )}
      </span>
    ),
  },
  {
    name: "Calls, 24 h",
    align: "right",
    sort: "calls",
    cell: ({ standing: { volume } }) =>
      volume.calls === 0 ? <span className="text-muted">0</span> : roughly(volume.calls),
  },
  {
    name: "Block rate, 24 h",
    align: "right",
    sort: "blocks",
    cell: ({ standing: { volume } }) => volume.block_rate !== null && shareOf(volume.block_rate),
  },
  {
    name: "Cost, 24 h",
    align: "right",
    sort: "cost",
    cell: ({ standing: { volume } }) =>
      volume.calls > 0 && (
        <>
          {usdOf(volume.cost_usd)}
          {volume.unpriced_calls > 0 && (
            <span className="block text-[13px] text-muted">+ {roughly(volume.unpriced_calls)} unpriced</span>
          )}
        </>
      ),
  },
  { name: "Tier", minor: true, cell: ({ standing: { risk_tier } }) => <TierChip tier={risk_tier} /> },
  {
    name: "Review",
    minor: true,
    cell: ({ review_status, governed, profile_version }) => (
      <span className="whitespace-nowrap">
        <StateChip of={review_status} />
        <span className="ml-1.5 text-[13px] whitespace-nowrap text-muted">
          {governed ? `v${profile_version}` : "baseline"}
        </span>
      </span>
    ),
  },
  { name: "Last call", sort: "last", cell: ({ standing }) => <Time at={standing.last_used_at} /> },
];

const trendWords = (trend: readonly (number | null)[]): string => {
  const scores = trend.filter((score) => score !== null);
  return scores.length === 0 ? "too few calls" : `from ${scores[0]} to ${scores.at(-1)}`;
};

const ORDERS = ["health", "calls", "blocks", "cost", "last"] as const;
type Order = (typeof ORDERS)[number];

/** The order of the list, kept in the address: `-cost` for the dearest first. */
export const useAgentOrder = (): Sorting & { readonly asked: Order | `-${Order}` | undefined } => {
  const { values, set } = useFilters(["sort"]);
  const now = values.sort ?? "";
  const by = ORDERS.find((one) => one === now.replace("-", ""));
  const isAscending = !now.startsWith("-");
  return {
    by: by ?? "",
    isAscending,
    // The largest first, then the smallest, then as it was.
    onSort: (next) => set({ sort: now === `-${next}` ? next : now === next ? "" : `-${next}` }),
    asked: by && (isAscending ? by : `-${by}`),
  };
};
