import type { Agent } from "#model/agent";
import { maySee, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, hasPassed } from "#platform/clock";
import type { Restriction } from "#policy/restrictions/restriction";
import type { KillSwitchStore, WatchStore } from "#store/governance-port";
import type { Overview, SwitchesOn, YourTurn } from "./schema";
import type { TrafficQuery, TrafficService } from "./traffic-service";

type OverviewServiceNeeds = {
  readonly traffic: TrafficService;
  readonly watch: Pick<WatchStore, "bands">;
  readonly killSwitches: Pick<KillSwitchStore, "list">;
  readonly agents: () => readonly Agent[];
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  readonly turnOf: (user: User) => Promise<YourTurn>;
  readonly now: Clock;
};

/** How long the bands of agents are not looked up again: they change every five minutes. */
const BANDS_MS = 15_000;

/** How the hub fares, for one person: what they may see of it, from counters and never from the log. */
export class OverviewService {
  private bands: { readonly at: number; readonly of: ReadonlyMap<string, string> } | null = null;

  constructor(private readonly deps: OverviewServiceNeeds) {}

  async of(user: User, query: TrafficQuery): Promise<Overview> {
    const agents = this.deps.agents().filter((agent) => maySee(user, agent));
    const [traffic, your_turn, counts] = await Promise.all([
      this.deps.traffic.of(user, query),
      this.deps.turnOf(user),
      this.countsOf(user, agents, this.deps.now()),
    ]);
    return { ...traffic, object: "overview", your_turn, ...counts };
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
