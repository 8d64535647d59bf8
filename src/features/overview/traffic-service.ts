import { GuardError } from "#core/errors";
import type { QueryValues } from "#http/endpoint-input";
import { momentIn } from "#http/openapi/query-check";
import type { Agent } from "#model/agent";
import { callScopeOf, maySee, noAgent, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import type { CallIndex, CallScope, TrafficBucket, TrafficQuestion } from "#store/call-index-port";
import { bucketedAtEdges, readAtEdges } from "./edges";
import { isTimeZone, MAX_PERIOD_MS, type Part, type Period, partsOf, periodsOf, type WantedPeriod } from "./periods";
import { Recent } from "./recent";
import type { TRAFFIC_QUERY, Traffic } from "./schema";
import {
  bucketed,
  countedOf,
  dearestOf,
  figuresOf,
  groupPrefix,
  groupsOf,
  namesIn,
  seriesOf,
  sumOf,
  sumOfMaps,
  topOf,
} from "./traffic";

type TrafficServiceNeeds = {
  readonly calls: Pick<CallIndex, "traffic">;
  readonly agents: () => readonly Agent[];
  /** A user's e-mail address. */
  readonly userName: (id: string) => string | null;
  readonly now: Clock;
};

export type TrafficQuery = QueryValues<typeof TRAFFIC_QUERY>;
type Counted = { readonly buckets: readonly TrafficBucket[]; readonly behind: number };
/** Whose calls are counted, and which agents may be named. */
type Seen = { readonly scope: CallScope; readonly agents: readonly Agent[]; readonly user: User };

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_NAMES = 10;
/** How old counted traffic may be that is shown: less than what a page takes to ask again. */
const TRAFFIC_MS = 1_000;

/** Calls over some time, for one person: what they may see of them, from counters and never from the log. */
export class TrafficService {
  private readonly recent: Recent<Counted>;

  constructor(private readonly deps: TrafficServiceNeeds) {
    this.recent = new Recent(TRAFFIC_MS, deps.now);
  }

  /** All that somebody may see. */
  of(user: User, query: TrafficQuery): Promise<Traffic> {
    const agents = this.seenBy(user);
    return this.counted({ scope: callScopeOf(user, agents), agents, user }, query);
  }

  /** One agent's. Throws `not_found` for one that the person may not see. */
  ofAgent(user: User, agentId: string, query: TrafficQuery): Promise<Traffic> {
    const agents = this.seenBy(user).filter(({ id }) => id === agentId);
    if (agents.length === 0) throw noAgent("agent_id");
    // Nobody's calls that have no agent.
    return this.counted({ scope: { user_id: "", agent_ids: [agentId] }, agents, user }, query);
  }

  private seenBy(user: User): Agent[] {
    return this.deps.agents().filter((agent) => maySee(user, agent));
  }

  private async counted({ scope, agents, user }: Seen, query: TrafficQuery): Promise<Traffic> {
    const now = this.deps.now();
    const { time_zone: timeZone = "UTC", by, measure = "calls" } = query;
    if (!isTimeZone(timeZone)) throw wrong("time_zone", "time_zone must be a name of the IANA database, such as UTC.");
    const wanted = wantedIn(query, now);
    const { period, before, beforeUntil } = periodsOf(wanted, { timeZone, now });
    const { edges } = period;
    const [since, end] = endsOf(edges);
    const [{ sums, behind }, named, previous] = await Promise.all([
      this.sumsOf(period, scope, by && groupPrefix(by, measure)),
      this.named(partsOf(since, end, period.span), scope),
      query.compare === undefined ? null : this.previous(before, beforeUntil, scope),
    ]);
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    const nameOf = (id: string) => (by === "agent" ? (names.get(id) ?? null) : id);
    return {
      object: "traffic",
      window: typeof wanted === "string" ? wanted : null,
      time_zone: timeZone,
      since: timestamp(since),
      until: timestamp(Math.min(end, now)),
      bucket_seconds: period.stepMs / 1_000,
      series_end: timestamp(end),
      series: seriesOf(sums, edges),
      ...countedOf(sumOfMaps(sums)),
      ...figuresOf(named),
      previous,
      groups: by === undefined ? [] : groupsOf(sums, { by, measure }, nameOf),
      ...this.tops(named, names, user),
      behind,
    };
  }

  private tops(sum: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>, user: User) {
    return {
      top_flags: topOf(namesIn(sum, "flag"), MAX_NAMES),
      top_models: topOf(namesIn(sum, "model"), MAX_NAMES),
      top_agents: topOf(known(namesIn(sum, "agent"), names), MAX_NAMES).map(({ name: id, count }) => ({
        ...{ id, name: names.get(id) ?? id, count },
      })),
      cost_by_model: dearestOf(namesIn(sum, "model_cost"), MAX_NAMES),
      cost_by_agent: namedCosts(namesIn(sum, "agent_cost"), names),
      cost_by_user: this.costByUser(user, namesIn(sum, "user_cost")),
    };
  }

  private costByUser(user: User, costs: ReadonlyMap<string, number>): Traffic["cost_by_user"] {
    const seen = READING_ROLES.includes(user.role) ? [...costs.keys()] : [user.id];
    const names = new Map(seen.flatMap((id) => [[id, this.deps.userName(id) ?? id] as const]));
    return namedCosts(costs, names);
  }

  private async previous(period: Period, until: number, scope: CallScope): Promise<Traffic["previous"]> {
    // The present bucket is not over: what is compared is as far as it has come.
    const edges = [...new Set([...period.edges, until])].sort((one, other) => one - other);
    const { sums } = await this.sumsOf({ ...period, edges }, scope);
    const within = (from: number, to: number) =>
      sumOfMaps(sums.filter((_, at) => (edges[at] ?? 0) >= from && (edges[at] ?? 0) < to));
    const [since] = endsOf(period.edges);
    return {
      since: timestamp(since),
      until: timestamp(until),
      series: seriesOf(
        period.edges.slice(1).map((edge, at) => within(period.edges[at] ?? 0, edge)),
        period.edges,
      ),
      ...countedOf(within(since, until)),
    };
  }

  /** What is counted bucket for bucket; of buckets of days mostly from counters of days. */
  private async sumsOf(
    { edges, span, stepMs }: Period,
    scope: CallScope,
    prefix?: string,
  ): Promise<{ readonly sums: readonly ReadonlyMap<string, number>[]; readonly behind: number }> {
    const [since, until] = endsOf(edges);
    // Names of the whole hub may be too many to be told apart in a day, though not in its hours.
    const isByHour = span !== HOUR_MS || stepMs < DAY_MS / 2 || (prefix !== undefined && scope === null);
    if (isByHour) {
      const { buckets, behind } = await this.read({ span, since, until }, scope, prefix);
      return { sums: bucketed(buckets, edges), behind };
    }
    const { days, hours: only } = readAtEdges(edges);
    const hours = { since: Math.min(...only), until: Math.max(...only) + HOUR_MS, only };
    const [byDay, byHour] = await Promise.all([
      this.read({ span: DAY_MS, ...days }, scope, prefix),
      only.length === 0 ? NOTHING : this.read({ span: HOUR_MS, ...hours }, scope, prefix),
    ]);
    return { sums: bucketedAtEdges(byDay.buckets, byHour.buckets, edges), behind: byDay.behind };
  }

  /** What is counted by name, over all of a period. */
  private async named(parts: readonly Part[], scope: CallScope): Promise<ReadonlyMap<string, number>> {
    const counted = await Promise.all(parts.map((part) => this.read(part, scope, "")));
    return sumOf(counted.flatMap(({ buckets }) => buckets));
  }

  /** Sums; with a prefix also what is counted by names that begin so. */
  private read(part: Part & Pick<TrafficQuestion, "only">, scope: CallScope, prefix?: string): Promise<Counted> {
    const detail = prefix === undefined ? ("sums" as const) : ("names" as const);
    const question = { ...part, scope, detail, prefix };
    return this.recent.of(JSON.stringify(question), () => this.deps.calls.traffic(question));
  }
}

const NOTHING: Counted = { buckets: [], behind: 0 };

const endsOf = (edges: readonly number[]): readonly [since: number, until: number] => [
  edges[0] ?? 0,
  edges.at(-1) ?? 0,
];

const wrong = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

/** Throws `invalid_value`. */
const wantedIn = ({ window, from, to }: TrafficQuery, now: number): WantedPeriod => {
  const [begin, end] = [momentIn("from", from), momentIn("to", to)];
  if (begin === undefined && end === undefined) return window ?? "24h";
  if (window !== undefined) throw wrong("window", "Give window, or from and to.");
  if (begin === undefined) throw wrong("from", "from is missing.");
  if (end === undefined) throw wrong("to", "to is missing.");
  if (begin >= Math.min(end, now)) throw wrong("from", "from must be before to, and past.");
  if (end - begin > MAX_PERIOD_MS) throw wrong("to", "A period has 93 days at most.");
  return { from: begin, to: end };
};

const known = (counts: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>): Map<string, number> =>
  new Map([...counts].filter(([id]) => names.has(id)));

/** Of those that may be named. */
const namedCosts = (costs: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>) =>
  dearestOf(known(costs, names), MAX_NAMES).map(({ name: id, cost_usd }) => ({
    ...{ id, name: names.get(id) ?? id, cost_usd },
  }));
