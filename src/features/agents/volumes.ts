import { usdOf } from "#model/money";
import { HOUR_MS, hourOf } from "#model/usage";
import { type Clock, hasPassed } from "#platform/clock";
import type { CallIndex, TrafficBucket } from "#store/call-index-port";
import type { AgentVolume } from "./schema";

type AgentVolumesNeeds = { readonly calls: Pick<CallIndex, "traffic">; readonly now: Clock };

type Counts = ReadonlyMap<string, number>;

/** Of lists. */
const VOLUME_HOURS = 24;
const VOLUME_MS = 10_000;
const MAX_VOLUMES = 10_000;

/** How much agents do, from counters kept beside the log. */
export class AgentVolumes {
  /** Many screens list the agents, to choose one of them. */
  private readonly volumes = new Map<string, { readonly at: number; readonly volume: AgentVolume }>();

  constructor(private readonly deps: AgentVolumesNeeds) {}

  /** What each of several did in the last day, in the order of the ids; up to `VOLUME_MS` old. */
  async of(agentIds: readonly string[]): Promise<AgentVolume[]> {
    const now = this.deps.now();
    if (this.volumes.size > MAX_VOLUMES) this.volumes.clear();
    const known = (id: string) => this.volumes.get(id);
    const unknown = agentIds.filter((id) => hasPassed(VOLUME_MS, known(id)?.at ?? 0, now));
    if (unknown.length > 0) await this.readVolumes(unknown, now);
    return agentIds.map((id) => known(id)?.volume ?? volumeOf(NOTHING));
  }

  private async readVolumes(agentIds: readonly string[], at: number): Promise<void> {
    const since = hourOf(at) - (VOLUME_HOURS - 1) * HOUR_MS;
    const sums = new Map(agentIds.map((id) => [id, new Map<string, number>()]));
    // Nobody's without an agent.
    const scope = { user_id: "", agent_ids: agentIds };
    const wanted = { span: HOUR_MS, since, until: at + 1, scope, detail: "names", prefix: AGENT } as const;
    const { buckets } = await this.deps.calls.traffic(wanted);
    for (const bucket of buckets) addTo(sums.get(agentOf(bucket, sums) ?? ""), bucket.counts);
    for (const [id, sum] of sums) this.volumes.set(id, { at, volume: volumeOf(sum) });
  }
}

/** A bucket is one subject's; whose, it says by the agent it counts. */
const agentOf = ({ counts }: TrafficBucket, sums: ReadonlyMap<string, unknown>): string | undefined => {
  for (const name of counts.keys()) {
    const id = name.startsWith(AGENT) ? name.slice(AGENT.length) : null;
    if (id !== null && sums.has(id)) return id;
  }
  return undefined;
};

const AGENT = "agent.";
const NOTHING: Counts = new Map();

const addTo = (sum: Map<string, number> | undefined, counts: Counts): void => {
  if (!sum) return;
  for (const [name, by] of counts) sum.set(name, (sum.get(name) ?? 0) + by);
};

const volumeOf = (counts: Counts): AgentVolume => {
  const of = (name: string): number => counts.get(name) ?? 0;
  const [calls, blocked] = [of("calls"), of("decision.block")];
  return {
    calls,
    blocked,
    block_rate: calls === 0 ? null : blocked / calls,
    cost_usd: usdOf(of("cost")),
    unpriced_calls: of("unpriced"),
  };
};
