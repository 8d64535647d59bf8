import type { Agent } from "#model/agent";
import { callScopeOf, maySee, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, hasPassed, timestamp } from "#platform/clock";
import type { Restriction } from "#policy/restrictions/restriction";
import type { CallIndex } from "#store/call-index-port";
import type { KillSwitchStore, WatchStore } from "#store/governance-port";
import { Recent } from "./recent";
import type { Overview, OverviewWindow, SwitchesOn, YourTurn } from "./schema";
import { dearestOf, namesIn, seriesOf, sumOf, topOf, totalsOf, WINDOWS } from "./traffic";

type OverviewServiceNeeds = {
  readonly calls: Pick<CallIndex, "traffic">;
  readonly watch: Pick<WatchStore, "bands">;
  readonly killSwitches: Pick<KillSwitchStore, "list">;
  readonly agents: () => readonly Agent[];
  /** A user's e-mail address. */
  readonly userName: (id: string) => string | null;
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  readonly turnOf: (user: User) => Promise<YourTurn>;
  readonly now: Clock;
};

const MAX_NAMES = 10;
/** How long the bands of agents are not looked up again: they change every five minutes. */
const BANDS_MS = 15_000;
/** How old counted traffic may be that is shown: less than what a page takes to ask again. */
const TRAFFIC_MS = 1_000;

/** How the hub fares, for one person: what they may see of it, from counters and never from the log. */
export class OverviewService {
  private readonly traffic: Recent<Awaited<ReturnType<OverviewServiceNeeds["calls"]["traffic"]>>>;
  private bands: { readonly at: number; readonly of: ReadonlyMap<string, string> } | null = null;

  constructor(private readonly deps: OverviewServiceNeeds) {
    this.traffic = new Recent(TRAFFIC_MS, deps.now);
  }

  async of(user: User, window: OverviewWindow): Promise<Overview> {
    const { span, bucket, count } = WINDOWS[window];
    const now = this.deps.now();
    const since = now - (now % bucket) - (count - 1) * bucket;
    const agents = this.deps.agents().filter((agent) => maySee(user, agent));
    const scope = callScopeOf(user, agents);
    const { buckets, behind } = await this.traffic.of(`${window} ${since} ${JSON.stringify(scope)}`, () =>
      this.deps.calls.traffic(span, since, now + 1, scope),
    );
    const sum = sumOf(buckets);
    return {
      object: "overview",
      window,
      since: timestamp(since),
      until: timestamp(now),
      bucket_seconds: bucket / 1_000,
      series: seriesOf(buckets, { since, bucket, count }),
      ...totalsOf(sum),
      top_flags: topOf(namesIn(sum, "flag"), MAX_NAMES),
      top_models: topOf(namesIn(sum, "model"), MAX_NAMES),
      top_agents: this.topAgents(namesIn(sum, "agent"), agents),
      cost_by_model: dearestOf(namesIn(sum, "model_cost"), MAX_NAMES),
      cost_by_agent: namedCosts(namesIn(sum, "agent_cost"), new Map(agents.map(({ id, name }) => [id, name]))),
      cost_by_user: this.costByUser(user, namesIn(sum, "user_cost")),
      your_turn: await this.deps.turnOf(user),
      ...(await this.countsOf(user, agents, now)),
      behind,
    };
  }

  private costByUser(user: User, costs: ReadonlyMap<string, number>): Overview["cost_by_user"] {
    const seen = READING_ROLES.includes(user.role) ? [...costs.keys()] : [user.id];
    const names = new Map(seen.flatMap((id) => [[id, this.deps.userName(id) ?? id] as const]));
    return namedCosts(costs, names);
  }

  private topAgents(counts: ReadonlyMap<string, number>, agents: readonly Agent[]): Overview["top_agents"] {
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    const known = new Map([...counts].filter(([id]) => names.has(id)));
    return topOf(known, MAX_NAMES).map(({ name: id, count }) => ({ id, name: names.get(id) ?? id, count }));
  }

  private async countsOf(user: User, all: readonly Agent[], now: number) {
    const agents = all.filter(({ lifecycle }) => lifecycle !== "retired");
    const bands = await this.bandsAt(now);
    const by_band: Record<string, number> = {};
    let [restrictions, restricted] = [0, 0];
    for (const { id } of agents) {
      const band = bands.get(id) ?? "unknown";
      by_band[band] = (by_band[band] ?? 0) + 1;
      const own = this.deps.restrictionsOf(id).length;
      restrictions += own;
      if (own > 0) restricted += 1;
    }
    const isStopped = ({ id, lifecycle }: Agent) =>
      lifecycle === "suspended" || this.deps.restrictionsOf(id).some(({ kind }) => kind === "suspended");
    const suspended = agents.filter(isStopped).length;
    return {
      agents: { total: agents.length, by_band, restricted, suspended },
      active_restrictions: restrictions,
      kill_switch: await this.switchesFor(user, agents),
    };
  }

  /** Users who may not see all see kill switches on everything, on themselves and on their agents. */
  async switchesOn(user: User): Promise<SwitchesOn> {
    return this.switchesFor(
      user,
      this.deps.agents().filter((agent) => maySee(user, agent) && agent.lifecycle !== "retired"),
    );
  }

  private async switchesFor(user: User, agents: readonly Agent[]): Promise<SwitchesOn> {
    const all = await this.deps.killSwitches.list();
    const own = new Set([user.id, ...agents.map(({ id }) => id)]);
    const seesAll = READING_ROLES.includes(user.role);
    const on = all.filter(
      ({ lifted_at, level, target }) => lifted_at === null && (seesAll || level === "all" || own.has(target ?? "")),
    );
    return { on: on.length > 0, switches: on.map(({ id, level, target, reason }) => ({ id, level, target, reason })) };
  }

  private async bandsAt(now: number): Promise<ReadonlyMap<string, string>> {
    if (this.bands && !hasPassed(BANDS_MS, this.bands.at, now)) return this.bands.of;
    const of = new Map((await this.deps.watch.bands()).map(({ agent_id, band }) => [agent_id, band]));
    this.bands = { at: now, of };
    return of;
  }
}

/** Of those that may be named. */
const namedCosts = (costs: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>) => {
  const known = new Map([...costs].filter(([id]) => names.has(id)));
  return dearestOf(known, MAX_NAMES).map(({ name: id, cost_usd }) => ({ id, name: names.get(id) ?? id, cost_usd }));
};
