import { timestamp } from "#platform/clock";
import type { Restriction } from "#policy/restrictions/restriction";
import type { Tier } from "#policy/review/review";
import type { TokenStore } from "#store/port";
import type { AgentStanding, AgentVolume } from "./schema";
import type { AgentVolumes } from "./volumes";

type AgentStandingsNeeds = {
  readonly tokens: Pick<TokenStore, "usesOfAgents">;
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  /** Of the profile in force; null without one. */
  readonly tierOf: (agentId: string) => Tier | null;
  readonly healthSummary: (
    agentId: string,
  ) => Promise<Omit<AgentStanding, "risk_tier" | "restrictions" | "suspended" | "last_used_at" | "volume">>;
  readonly agentVolumes: Pick<AgentVolumes, "of">;
  /** When a token was used last, as far as it is not stored yet; Unix milliseconds, null for not. */
  readonly lastUsed: (tokenId: string) => number | null;
};

/** How agents stand, from what is at hand. */
export class AgentStandings {
  constructor(private readonly needs: AgentStandingsNeeds) {}

  async of(agentIds: readonly string[]): Promise<AgentStanding[]> {
    const { tokens, lastUsed, healthSummary, tierOf, restrictionsOf, agentVolumes } = this.needs;
    const used = new Map<string, number>();
    for (const { id, agent_id, last_used_at } of await tokens.usesOfAgents(agentIds)) {
      used.set(agent_id, Math.max(last_used_at ?? 0, lastUsed(id) ?? 0, used.get(agent_id) ?? 0));
    }
    const volumes = await agentVolumes.of(agentIds);
    return Promise.all(
      agentIds.map(async (id, at) => ({
        ...(await healthSummary(id)),
        risk_tier: tierOf(id),
        restrictions: restrictionsOf(id).length,
        suspended: restrictionsOf(id).some(({ kind }) => kind === "suspended"),
        last_used_at: timeOf(used.get(id)),
        volume: volumes[at] ?? NO_VOLUME,
      })),
    );
  }
}

export const NO_VOLUME: AgentVolume = { calls: 0, blocked: 0, block_rate: null, cost_usd: 0, unpriced_calls: 0 };

const timeOf = (at: number | undefined): string | null => (at ? timestamp(at) : null);
