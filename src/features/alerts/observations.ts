import { Value } from "#core/schema";
import type { Agent } from "#model/agent";
import type { AlertKind, AlertRule, NodeFigures } from "#model/alert";
import { type Budget, windowName, windowStart } from "#model/budget";
import { Drifting, driftsUnanswered } from "#model/health/watch-state";
import { usdOf } from "#model/money";
import type { AlertStore } from "#store/alert-port";
import type { CallIndex, TrafficBucket, TrafficSpan } from "#store/call-index-port";
import type { WatchStore } from "#store/governance-port";
import type { BudgetStore } from "#store/money-port";
import type { ProviderStore } from "#store/port";
import { lastCheckOf } from "./figures";

/** What was measured of one subject. */
export type Observation = {
  readonly subject: string;
  readonly value: number;
  /** Its name; null where its id says enough. */
  readonly label: string | null;
};

export type ObservationNeeds = {
  readonly calls: Pick<CallIndex, "traffic">;
  readonly alerts: Pick<AlertStore, "figures">;
  readonly budgets: Pick<BudgetStore, "list" | "spent">;
  readonly watch: Pick<WatchStore, "drifting">;
  readonly providers: Pick<ProviderStore, "list" | "breakers">;
  readonly agent: (id: string) => Pick<Agent, "name" | "lifecycle"> | null;
  /** E-mail addresses. */
  readonly userName: (id: string) => string | null;
};

type Observe = (needs: ObservationNeeds, rule: AlertRule, now: number) => Promise<Observation[]>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Counters by the minute are kept for two days, those by the quarter of an hour for eight. */
const spanFor = (windowMs: number): TrafficSpan =>
  windowMs <= DAY_MS ? MINUTE_MS : windowMs <= 7 * DAY_MS ? 900_000 : HOUR_MS;

const sumOf = (buckets: readonly TrafficBucket[], name: string): number =>
  buckets.reduce((sum, { counts }) => sum + (counts.get(name) ?? 0), 0);

/** Whole buckets, as many as the window is long, and the one under way. */
const bucketsOf = async ({ calls }: ObservationNeeds, rule: AlertRule, now: number) => {
  const windowMs = rule.window_seconds * 1_000;
  const span = spanFor(windowMs);
  const since = now - (now % span) - Math.max(span, windowMs - (windowMs % span));
  const scope = rule.agent_id === null ? null : { user_id: "", agent_ids: [rule.agent_id] };
  return (await calls.traffic({ span, since, until: now + 1, scope, detail: "sums" })).buckets;
};

const subjectOf = ({ agent }: ObservationNeeds, { agent_id }: AlertRule) => ({
  subject: agent_id ?? "",
  label: agent_id === null ? null : (agent(agent_id)?.name ?? null),
});

const rate =
  (counter: string): Observe =>
  async (needs, rule, now) => {
    const buckets = await bucketsOf(needs, rule, now);
    const all = sumOf(buckets, "calls");
    if (all < rule.min_calls) return [];
    return [{ ...subjectOf(needs, rule), value: (sumOf(buckets, counter) / all) * 100 }];
  };

const spend: Observe = async (needs, rule, now) => {
  const buckets = await bucketsOf(needs, rule, now);
  return [{ ...subjectOf(needs, rule), value: usdOf(sumOf(buckets, "cost")) }];
};

/** Budgets that are read before calls have the thread again. */
const AT_ONCE = 500;

const budgets: Observe = async (needs) => {
  const all = await needs.budgets.list();
  const found: Observation[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    if (from > 0) await Bun.sleep(1);
    found.push(...(await spentOf(needs, all.slice(from, from + AT_ONCE))));
  }
  return found;
};

const spentOf = async (needs: ObservationNeeds, all: readonly Budget[]): Promise<Observation[]> => {
  let at = 0;
  const nameOf = (budget: Budget) => windowName(budget, windowStart(budget.period, at));
  const spent = await needs.budgets.spent((now) => {
    at = now;
    return all.map((budget) => ({ name: nameOf(budget), start: windowStart(budget.period, now) }));
  });
  return all.map((budget) => {
    const sum = spent.get(nameOf(budget))?.spent ?? 0;
    const value = budget.limit > 0 ? (sum / budget.limit) * 100 : sum > 0 ? 100 : 0;
    return {
      subject: `${budget.scope}/${budget.subject_id}/${budget.period}`,
      value,
      label: budgetName(needs, budget),
    };
  });
};

const budgetName = ({ agent, userName }: ObservationNeeds, { scope, subject_id, period }: Budget): string => {
  const name = scope === "agent" ? agent(subject_id)?.name : scope === "user" ? userName(subject_id) : null;
  return `${scope === "hub" ? "hub" : (name ?? subject_id)}, per ${period}`;
};

/** Agents that are looked at, of those that drift: each has a state of many kilobytes. */
const MAX_DRIFTING = 100;

const drift: Observe = async ({ watch, agent }, _rule, now) =>
  (await watch.drifting(MAX_DRIFTING)).flatMap(({ agent_id, state }) => {
    const known = agent(agent_id);
    // Of an agent that is retired the last state is kept.
    if (known === null || known.lifecycle === "retired") return [];
    return Value.Check(Drifting, state) && driftsUnanswered(state, now)
      ? [{ subject: agent_id, value: 1, label: known.name }]
      : [];
  });

/** Of each process that serves, if it says it. */
const ofProcesses =
  (measure: (figures: NodeFigures, now: number) => number | null): Observe =>
  async ({ alerts }, _rule, now) =>
    (await liveFigures(alerts)).flatMap(({ node, figures }) => {
      const value = measure(figures, now);
      return value === null ? [] : [{ subject: node, value, label: `process ${node}` }];
    });

const liveFigures = async (alerts: ObservationNeeds["alerts"]) => (await alerts.figures()).filter(({ live }) => live);

type Said = Awaited<ReturnType<AlertStore["figures"]>>[number];

/** Of each data directory in which a process lives, by what its processes say of it, those that have ended too. */
const ofDirectories =
  (measure: (said: readonly Said[], now: number) => number | null): Observe =>
  async ({ alerts }, _rule, now) => {
    const byDirectory = Object.groupBy(await alerts.figures(), ({ figures }) => figures.directory);
    return Object.entries(byDirectory).flatMap(([subject, said = []]) => {
      const value = said.some(({ live }) => live) ? measure(said, now) : null;
      return value === null ? [] : [{ subject, value, label: subject === "" ? null : `hub ${subject}` }];
    });
  };

/** When the process that says it has ended, what it said last holds until another does. */
const backupAge = (said: readonly Said[], now: number): number | null => {
  const saying = said.filter(({ figures }) => figures.backup !== null);
  const one = saying.find(({ live }) => live) ?? saying[0];
  if (one === undefined) return null;
  const since = one.figures.backup?.at ?? Math.min(...said.map(({ figures }) => figures.started_at));
  return Math.max(0, now - since) / HOUR_MS;
};

/** One that a single process cannot reach is one, whatever the others say. */
const toolServers: Observe = async ({ alerts }) => {
  const failing = (await liveFigures(alerts)).flatMap(({ figures }) => figures.tool_servers);
  const slugs = new Map(failing.map(({ id, slug }) => [id, slug]));
  return [...slugs].map(([subject, label]) => ({ subject, label, value: 1 }));
};

const providers: Observe = async (needs) => {
  const failing = new Set((await needs.providers.breakers()).map(({ provider_id }) => provider_id));
  if (failing.size === 0) return [];
  const known = await needs.providers.list();
  return known.flatMap(({ id, name }) => (failing.has(id) ? [{ subject: id, value: 1, label: name }] : []));
};

const OBSERVERS: Readonly<Record<AlertKind, Observe>> = {
  block_rate: rate("decision.block"),
  error_rate: rate("decision.error"),
  spend,
  budget: budgets,
  drift,
  // That records cannot be written is told by each process itself: see `audit-alarm.ts`.
  audit_log: ofDirectories((said) => lastCheckOf(said.map(({ figures }) => figures)).faults),
  backup_age: ofDirectories(backupAge),
  loop_delay: ofProcesses(({ loop_delay_ms }) => loop_delay_ms),
  tool_server: toolServers,
  provider: providers,
};

/** Measures what a rule is about. Rejects when that cannot be found out: then nothing is known. */
export const observe: Observe = (needs, rule, now) => OBSERVERS[rule.kind](needs, rule, now);
