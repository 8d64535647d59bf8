import { type Agent, standingOf } from "#core/agent";
import { acknowledge, beginBaseline } from "#core/drift-watch";
import type { GovernanceFault } from "#core/health-inputs";
import type { HealthReport } from "#core/health-report";
import { Shape } from "#core/shape";
import { evaluate, type Move, movesBetween, neededFrom, type Observed, windowFrom } from "#core/watch";
import { type TrendPoint, WatchState } from "#core/watch-state";
import type { UsageRecorder } from "#engine/usage";
import type { AgentFacts } from "#engine/watch-port";
import { hasPassed } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { UsageStore, WatchStore } from "#store/governance-port";
import type { AgentStore, TokenStore } from "#store/port";

type Deps = {
  readonly agents: Pick<AgentStore, "list">;
  readonly tokens: Pick<TokenStore, "agentsWithTokenBefore">;
  readonly usage: Pick<UsageStore, "read">;
  readonly watch: WatchStore;
  readonly recorder: Pick<UsageRecorder, "flush">;
  readonly facts: AgentFacts;
  readonly log: Log;
  /** Told when an agent is in another band, or its drift is another. */
  readonly onMoved?: (move: Move, agent: Agent, at: number) => Promise<void>;
};

/** What was computed is shown for so long. */
const FRESH_MS = 60_000;
const OLD_TOKEN_MS = 180 * 86_400_000;

/** `about` is what a report says that changes at once, and not with time. */
type Told = { readonly report: HealthReport; readonly about: string; readonly at: number };

/** `trend` oldest first, four a day for seven days at most. */
export type Glance = {
  readonly health_score: number | null;
  readonly band: string;
  readonly drift_status: string;
  readonly trend: readonly (number | null)[];
};

/** How agents fare: computed from the counters beside the calls, kept in the store, carried on after a restart. */
export class AgentWatch {
  private readonly states = new Map<string, WatchState>();
  private readonly told = new Map<string, Told>();
  private readonly shape = new Shape(WatchState);
  /** Agents with a token in use that is too old, as of the last round. */
  private withOldToken: ReadonlySet<string> = new Set();

  constructor(private readonly deps: Deps) {}

  /** Looks at every agent that is not retired; to be called every five minutes. One that fails does not stop the others. */
  async tend(now: number): Promise<void> {
    await this.lookAtTokens(now);
    for (const agent of await this.deps.agents.list()) {
      if (agent.lifecycle === "retired") continue;
      try {
        await this.evaluate(agent, now);
      } catch (error) {
        this.deps.log.error("watch.failed", { ...causeOf(error), agent_id: agent.id });
      }
      // Calls come first.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Not older than a minute, nor than the agent's profile and restrictions. */
  async healthOf(agent: Agent, now: number): Promise<HealthReport> {
    const told = this.told.get(agent.id);
    if (!told || hasPassed(FRESH_MS, told.at, now) || told.about !== this.aboutOf(agent))
      return this.evaluate(agent, now);
    return told.report;
  }

  /** Oldest first: four points a day for seven days. */
  async trendOf(agent: Agent, now: number): Promise<readonly TrendPoint[]> {
    await this.healthOf(agent, now);
    return this.states.get(agent.id)?.trend ?? [];
  }

  /** How an agent fares by what was computed last: for lists, nothing is computed. */
  async glance(agentId: string): Promise<Glance> {
    if (!this.states.has(agentId)) await this.load(agentId);
    const state = this.states.get(agentId);
    const told = this.told.get(agentId)?.report;
    const trend = state?.trend.map(({ score }) => score) ?? [];
    const score = told ? told.health_score : (trend.at(-1) ?? null);
    const band = told?.band ?? state?.band?.band;
    return {
      health_score: score,
      band: score === null || band === undefined ? "insufficient_data" : band,
      drift_status: told?.drift_status ?? state?.drift.status ?? "no_baseline",
      trend,
    };
  }

  /** Drift as it is now counts as known until then. */
  acknowledge(agent: Agent, until: number, now: number): Promise<HealthReport> {
    return this.change(agent, now, (state) => ({ ...state, drift: acknowledge(state.drift, until) }));
  }

  /** What the agent does from now on is what it is compared with. */
  rebaseline(agent: Agent, now: number): Promise<HealthReport> {
    return this.change(agent, now, (state, { hours }) => {
      const profileVersion = state.drift.profile_version;
      return { ...state, drift: beginBaseline({ now, hours, profileVersion }) };
    });
  }

  private evaluate(agent: Agent, now: number): Promise<HealthReport> {
    return this.change(agent, now, (state) => state);
  }

  /** From what was kept to what is kept is one step without a pause, so that nobody's change is lost. */
  private async change(agent: Agent, now: number, to: (state: WatchState, seen: Observed) => WatchState) {
    const seen = await this.observe(agent, now);
    const before = this.states.get(agent.id) ?? null;
    const first = evaluate(before, seen);
    const changed = to(first.state, seen);
    const { state, report } = changed === first.state ? first : evaluate(changed, seen);
    this.states.set(agent.id, state);
    this.told.set(agent.id, { report, about: this.aboutOf(agent), at: now });
    if (before) await this.tell(movesBetween(before, state), agent, now);
    const [band, drift_status] = [state.band?.band ?? null, state.drift.status];
    await this.deps.watch.put([{ agent_id: agent.id, state, at: now, band, drift_status }]);
    return report;
  }

  private async tell(moves: readonly Move[], agent: Agent, now: number): Promise<void> {
    try {
      for (const move of moves) await this.deps.onMoved?.(move, agent, now);
    } catch (error) {
      this.deps.log.warn("watch.not_told", { ...causeOf(error), agent_id: agent.id });
    }
  }

  private async observe(agent: Agent, now: number): Promise<Observed> {
    const { recorder, usage, facts, log } = this.deps;
    if (!this.states.has(agent.id)) await this.load(agent.id);
    await recorder.flush().catch((error: unknown) => log.warn("watch.not_flushed", causeOf(error)));
    const confirmed = await facts.confirmedOf(agent.id, windowFrom(now));
    return {
      agent,
      now,
      hours: await usage.read(agent.id, neededFrom(this.states.get(agent.id) ?? null, now), now + 1),
      isGoverned: isGoverned(agent),
      faults: this.faultsOf(agent, now, confirmed.hasOverdue),
      misses: confirmed.misses,
      falsePositives: confirmed.falsePositives,
      restrictions: facts.restrictionsOf(agent.id),
    };
  }

  private faultsOf(agent: Agent, now: number, hasOverdue: boolean): GovernanceFault[] {
    const holds: Readonly<Record<GovernanceFault, boolean>> = {
      review_overdue: standingOf(agent, now) === "expired",
      owner_inactive: !this.deps.facts.isActive(agent.owner_id),
      token_old: this.withOldToken.has(agent.id),
      report_overdue: hasOverdue,
    };
    const faults: readonly GovernanceFault[] = ["review_overdue", "owner_inactive", "token_old", "report_overdue"];
    return faults.filter((fault) => holds[fault]);
  }

  /** What an earlier version kept in another shape is begun anew. */
  private async load(agentId: string): Promise<void> {
    const stored = await this.deps.watch.get(agentId);
    if (this.shape.fits(stored) && !this.states.has(agentId)) this.states.set(agentId, stored);
  }

  private aboutOf({ id, profile_version, review_status, lifecycle }: Agent): string {
    const restrictions = this.deps.facts.restrictionsOf(id).map((one) => one.id);
    return [profile_version, review_status, lifecycle, ...restrictions].join(" ");
  }

  private async lookAtTokens(now: number): Promise<void> {
    this.withOldToken = new Set(await this.deps.tokens.agentsWithTokenBefore(now - OLD_TOKEN_MS, now));
  }
}

const isGoverned = ({ lifecycle, profile_version, review_status }: Agent): boolean =>
  lifecycle !== "retired" && profile_version !== null && review_status !== "revoked";
