import type { PageWindow } from "#core/page";
import { type ListPage, pageOf, readPage } from "#http/page";
import type { AgentListQuery, AgentResponse, AgentStanding, ListedAgent } from "./schema";
import { NO_VOLUME } from "./standings";

type AgentListNeeds = {
  readonly page: (ownerId: string | null, window: PageWindow, words?: string) => Promise<AgentResponse[]>;
  /** In the order of the ids. Nothing is computed for it. */
  readonly standingsOf: (agentIds: readonly string[]) => Promise<readonly AgentStanding[]>;
};

/** The newest that are put in an order, or filtered by what is not stored with them: all of them are read for a page. */
const MAX_ORDERED = 2_000;

/** Nothing is known of it yet. */
const NEW: AgentStanding = {
  health_score: null,
  risk_tier: null,
  band: "insufficient_data",
  drift_status: "no_baseline",
  trend: [],
  restrictions: 0,
  suspended: false,
  last_used_at: null,
  volume: NO_VOLUME,
};

/** What each order goes by; what has no such number comes last. */
const ORDERS: Readonly<Record<string, (standing: AgentStanding) => number | null>> = {
  health: ({ health_score }) => health_score,
  calls: ({ volume }) => volume.calls,
  blocks: ({ volume }) => volume.block_rate,
  cost: ({ volume }) => volume.cost_usd,
  last: ({ last_used_at }) => (last_used_at === null ? null : Date.parse(last_used_at)),
};

/** Lists of agents with how they stand: newest first, or in an order of what they did. */
export class AgentList {
  constructor(private readonly needs: AgentListNeeds) {}

  async of(ownerId: string | null, query: AgentListQuery): Promise<ListPage<ListedAgent>> {
    const { q, sort, state, tier, review_status } = query;
    if ([sort, state, tier, review_status].every((one) => one === undefined)) {
      const page = await readPage(query, (window) => this.needs.page(ownerId, window, q));
      return { ...page, data: await this.stood(page.data) };
    }
    const newest = await this.needs.page(ownerId, { after: null, limit: MAX_ORDERED }, q);
    const wanted = (await this.stood(newest)).filter((agent) => isWanted(agent, query));
    return pageOf(sort === undefined ? wanted : ordered(wanted, sort), query);
  }

  private async stood(agents: readonly AgentResponse[]): Promise<ListedAgent[]> {
    const standings = await this.needs.standingsOf(agents.map(({ id }) => id));
    return agents.map((agent, at) => ({ ...agent, standing: standings[at] ?? NEW }));
  }
}

/** A restriction can suspend an agent whose lifecycle goes on. */
const stateOf = ({ lifecycle, standing }: ListedAgent): string =>
  lifecycle === "active" && standing.suspended ? "suspended" : lifecycle;

const isWanted = (agent: ListedAgent, { state, tier, review_status }: AgentListQuery): boolean =>
  (state === undefined || state === stateOf(agent)) &&
  (tier === undefined || tier === (agent.standing.risk_tier ?? "none")) &&
  (review_status === undefined || review_status === agent.review_status);

const ordered = (agents: readonly ListedAgent[], sort: string): readonly ListedAgent[] => {
  const isAscending = !sort.startsWith("-");
  const numberIn = ORDERS[sort.replace("-", "")];
  if (!numberIn) return agents;
  return agents.toSorted((one, other) => {
    const [left, right] = [numberIn(one.standing), numberIn(other.standing)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return isAscending ? left - right : right - left;
  });
};
