import { Shape } from "#core/schema";
import {
  changesBetween,
  evaluate,
  type HealthChange,
  neededFrom,
  type Observed,
  windowFrom,
} from "#features/health/observation";
import type { UsageRecorder } from "#guard/limits/usage";
import { type Agent, currentReviewStatus } from "#model/agent";
import { acknowledge, beginBaseline } from "#model/health/drift-watch";
import { shownBand } from "#model/health/health";
import type { GovernanceFault } from "#model/health/health-inputs";
import type { AgentHealthView } from "#model/health/health-report";
import { type TrendPoint, WatchState } from "#model/health/watch-state";
import { hasPassed } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { UsageStore, WatchRow, WatchStore } from "#store/governance-port";
import type { NodeStore } from "#store/node-port";
import type { AgentStore, TokenStore } from "#store/port";
import type { AgentFacts, Confirmed } from "./confirmed";

type HealthMonitorNeeds = {
  readonly agents: Pick<AgentStore, "page">;
  readonly tokens: Pick<TokenStore, "agentsWithTokenBefore">;
  readonly usage: Pick<UsageStore, "newest" | "read">;
  readonly watch: WatchStore;
  readonly recorder: Pick<UsageRecorder, "flush">;
  readonly facts: AgentFacts;
  readonly log: Log;
  /** Who else serves from the same store; absent for nobody. */
  readonly nodes?: Pick<NodeStore, "self" | "holds">;
  /** Told when an agent is in another band, or its drift is another. */
  readonly onChanged?: (move: HealthChange, agent: Agent, at: number) => Promise<void>;
};

/** Agents that are read at a time. */
const PAGE = 200;
/** States that one commit writes: some milliseconds of the serving thread. */
const KEPT_AT_ONCE = 20;
/** What a round takes of the serving thread before calls have it again, and how long it leaves it to them. Milliseconds. */
const SLICE_MS = 10;
const PAUSE_MS = 10;
/**
 * A round takes no more of the thread than this; what is left is for the next one. Rounds begin every five minutes: at
 * most one part in thirty of a core, however many agents there are. Milliseconds.
 */
const ROUND_MS = 10_000;
/** The window of an evaluation moves on by hours: an agent that does nothing is looked at again after one. */
const IDLE_MS = 3_600_000;

/** What was computed is shown for so long. */
const FRESH_MS = 60_000;
const OLD_TOKEN_MS = 180 * 86_400_000;

/** `about` is what a report says that changes at once, and not with time. */
type CachedReport = { readonly report: AgentHealthView; readonly freshness: string; readonly at: number };

/** `trend` oldest first, four a day for seven days at most. */
export type HealthSummary = {
  readonly health_score: number | null;
  readonly band: string;
  readonly drift_status: string;
  readonly trend: readonly (number | null)[];
};

/** How agents fare: computed from the counters beside the calls, kept in the store, carried on after a restart. */
export class HealthMonitor {
  private readonly states = new Map<string, WatchState>();
  private readonly reports = new Map<string, CachedReport>();
  private readonly shape = new Shape(WatchState);
  /** Agents with a token in use that is too old, as of the last round. */
  private withOldToken: ReadonlySet<string> = new Set();
  /** What was known of an agent when a round last computed it. */
  private readonly evaluated = new Map<string, { readonly news: string; readonly at: number }>();
  /** Where several processes serve, one makes the rounds; the others read what it keeps. */
  private isOurs: boolean;
  private round: Promise<void> | null = null;
  /** The last agent of a round that used up its time; null when the last round came to its end. */
  private reached: string | null = null;

  constructor(private readonly deps: HealthMonitorNeeds) {
    this.isOurs = deps.nodes?.self?.isAlone !== false;
  }

  /**
   * Looks at every agent that is not retired and about which anything is new; to be called every five minutes. One that
   * fails does not stop the others. A round under way is not begun again.
   */
  runOnce(now: number): Promise<void> {
    this.round ??= this.runRound(now).finally(() => {
      this.round = null;
    });
    return this.round;
  }

  private async runRound(now: number): Promise<void> {
    await this.lookAtTokens(now);
    await this.flushed();
    this.isOurs = (await this.deps.nodes?.holds("health")) ?? true;
    if (!this.isOurs) {
      this.reports.clear();
      return;
    }
    const slice = new ThreadSlices();
    let after = this.reached;
    let changed: Agent[] = [];
    for (;;) {
      const agents = await this.deps.agents.page(null, { after, limit: PAGE });
      for (const agent of agents) {
        after = agent.id;
        if (agent.lifecycle !== "retired" && (await this.runAgent(agent, now))) changed.push(agent);
        if (changed.length >= KEPT_AT_ONCE) {
          // A commit begins a slice of its own.
          await slice.rest();
          await this.keep(changed);
          changed = [];
        }
        if (await slice.isOver()) {
          await this.keep(changed);
          this.reached = after;
          return;
        }
      }
      if (agents.length < PAGE) break;
    }
    await this.keep(changed);
    this.reached = null;
  }

  /** Whether there is a new state to keep. */
  private async runAgent(agent: Agent, now: number): Promise<boolean> {
    try {
      const confirmed = await this.deps.facts.confirmedOf(agent.id, windowFrom(now));
      const news = await this.newsOf(agent, now, confirmed);
      if (this.isSettled(agent.id, news, now)) return false;
      await this.compute(agent, now, confirmed, (state) => state);
      this.evaluated.set(agent.id, { news, at: now });
      return true;
    } catch (error) {
      this.deps.log.error("watch.failed", { ...causeOf(error), agent_id: agent.id });
      return false;
    }
  }

  /** Nothing is new about it, and no second evaluation is needed for a band that is about to change. */
  private isSettled(agentId: string, news: string, now: number): boolean {
    const evaluated = this.evaluated.get(agentId);
    if (evaluated === undefined || evaluated.news !== news || hasPassed(IDLE_MS, evaluated.at, now)) return false;
    return (this.states.get(agentId)?.band?.pending ?? null) === null;
  }

  /** All that an evaluation rests on but the time, in few words: the counters of the newest hour stand for all of them. */
  private async newsOf(agent: Agent, now: number, confirmed: Confirmed): Promise<string> {
    const newest = await this.deps.usage.newest(agent.id);
    const faults = this.faultsOf(agent, now, confirmed.hasOverdue);
    const said = [newest?.hour, newest?.counts, faults, confirmed, this.freshnessOf(agent), agent.owner_id];
    return Bun.hash(JSON.stringify(said)).toString(36);
  }

  private async keep(agents: readonly Agent[]): Promise<void> {
    const rows = agents.flatMap(({ id }) => {
      const [state, reports] = [this.states.get(id), this.reports.get(id)];
      return state && reports ? [rowOf(id, state, reports)] : [];
    });
    await this.deps.watch.put(rows);
  }

  /** Not older than a minute, nor than the agent's profile and restrictions. */
  async healthOf(agent: Agent, now: number): Promise<AgentHealthView> {
    const reports = this.reports.get(agent.id);
    if (!reports || hasPassed(FRESH_MS, reports.at, now) || reports.freshness !== this.freshnessOf(agent))
      return this.evaluate(agent, now);
    return reports.report;
  }

  /** Oldest first: four points a day for seven days. */
  async trendOf(agent: Agent, now: number): Promise<readonly TrendPoint[]> {
    await this.healthOf(agent, now);
    return this.states.get(agent.id)?.trend ?? [];
  }

  /** How an agent fares by what was computed last: for lists, nothing is computed. */
  async healthSummary(agentId: string): Promise<HealthSummary> {
    if (!this.states.has(agentId)) await this.load(agentId);
    const state = this.states.get(agentId);
    const reports = this.reports.get(agentId)?.report;
    const trend = state?.trend.map(({ score }) => score) ?? [];
    const score = reports ? reports.health_score : (trend.at(-1) ?? null);
    const band = reports?.band ?? state?.band?.band;
    return {
      health_score: score,
      band: score === null || band === undefined ? "insufficient_data" : shownBand(band, score, capsIn(state)),
      drift_status: reports?.drift_status ?? state?.drift.status ?? "no_baseline",
      trend,
    };
  }

  /** Drift as it is now counts as known until then. */
  acknowledge(agent: Agent, until: number, now: number): Promise<AgentHealthView> {
    return this.change(agent, now, (state) => ({ ...state, drift: acknowledge(state.drift, until) }));
  }

  /** What the agent does from now on is what it is compared with. */
  rebaseline(agent: Agent, now: number): Promise<AgentHealthView> {
    return this.change(agent, now, (state, { hours }) => {
      const profileVersion = state.drift.profile_version;
      return { ...state, drift: beginBaseline({ now, hours, profileVersion }) };
    });
  }

  private evaluate(agent: Agent, now: number): Promise<AgentHealthView> {
    return this.change(agent, now, (state) => state);
  }

  private async change(agent: Agent, now: number, to: (state: WatchState, seen: Observed) => WatchState) {
    await this.flushed();
    const confirmed = await this.deps.facts.confirmedOf(agent.id, windowFrom(now));
    const report = await this.compute(agent, now, confirmed, to);
    await this.keep([agent]);
    return report;
  }

  /** From what was kept to what is kept is one step without a pause, so that nobody's change is lost. */
  private async compute(
    agent: Agent,
    now: number,
    confirmed: Confirmed,
    to: (state: WatchState, seen: Observed) => WatchState,
  ): Promise<AgentHealthView> {
    const seen = await this.observe(agent, now, confirmed);
    const before = this.states.get(agent.id) ?? null;
    const first = evaluate(before, seen);
    const changed = to(first.state, seen);
    const { state, report } = changed === first.state ? first : evaluate(changed, seen);
    this.states.set(agent.id, state);
    this.reports.set(agent.id, { report, freshness: this.freshnessOf(agent), at: now });
    if (before) await this.tell(changesBetween(before, state), agent, now);
    return report;
  }

  private async tell(moves: readonly HealthChange[], agent: Agent, now: number): Promise<void> {
    try {
      for (const move of moves) await this.deps.onChanged?.(move, agent, now);
    } catch (error) {
      this.deps.log.warn("watch.not_told", { ...causeOf(error), agent_id: agent.id });
    }
  }

  private async flushed(): Promise<void> {
    const { recorder, log } = this.deps;
    await recorder.flush().catch((error: unknown) => log.warn("watch.not_flushed", causeOf(error)));
  }

  private async observe(agent: Agent, now: number, confirmed: Confirmed): Promise<Observed> {
    const { usage, facts } = this.deps;
    if (!this.knows(agent.id)) await this.load(agent.id);
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
      review_overdue: currentReviewStatus(agent, now) === "expired",
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
    if (this.shape.fits(stored) && !this.knows(agentId)) this.states.set(agentId, stored);
  }

  private knows(agentId: string): boolean {
    return this.isOurs && this.states.has(agentId);
  }

  private freshnessOf({ id, profile_version, review_status, lifecycle }: Agent): string {
    const restrictions = this.deps.facts.restrictionsOf(id).map((one) => one.id);
    return [profile_version, review_status, lifecycle, ...restrictions].join(" ");
  }

  private async lookAtTokens(now: number): Promise<void> {
    this.withOldToken = new Set(await this.deps.tokens.agentsWithTokenBefore(now - OLD_TOKEN_MS, now));
  }
}

const rowOf = (agent_id: string, state: WatchState, { at, report }: CachedReport): WatchRow => ({
  agent_id,
  state,
  at,
  drift_status: state.drift.status,
  band: state.band && shownBand(state.band.band, report.health_score, capsIn(state)),
});

const capsIn = (state: WatchState | undefined): string[] => Object.keys(state?.caps_since ?? {});

/** Shares the thread with the calls: some milliseconds of work, then a pause. */
class ThreadSlices {
  private spentMs = 0;
  private began = performance.now();

  /** Pauses where a slice is over; says whether the round's time is. */
  async isOver(): Promise<boolean> {
    if (performance.now() - this.began >= SLICE_MS) await this.rest();
    return this.spentMs >= ROUND_MS;
  }

  /** Ends the slice. */
  async rest(): Promise<void> {
    this.spentMs += performance.now() - this.began;
    await Bun.sleep(PAUSE_MS);
    this.began = performance.now();
  }
}

const isGoverned = ({ lifecycle, profile_version, review_status }: Agent): boolean =>
  lifecycle !== "retired" && profile_version !== null && review_status !== "revoked";
