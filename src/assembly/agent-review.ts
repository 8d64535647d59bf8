import type { Tier } from "#core/review/review";
import type { Auditor } from "#engine/auditor";
import type { Glance } from "#engine/watch";
import type { signedInPerson } from "#http/person";
import { ProfileService } from "#modules/agents/profiles";
import { agentRoutes } from "#modules/agents/routes";
import { AgentService } from "#modules/agents/service";
import { ReviewPresenter } from "#modules/reviews/presenter";
import { reviewRoutes } from "#modules/reviews/routes";
import { ReviewService } from "#modules/reviews/service";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Store } from "#store/port";

type Deps = {
  readonly store: Pick<Store, "agents" | "users" | "tokens" | "tools" | "reviews" | "profiles" | "usage">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: { readonly bodyBytes: number };
};

type Around = Pick<Parameters<typeof agentRoutes>[0], "effectiveOf" | "restrictionsOf"> & {
  readonly auditor: Auditor;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Of the profile in force; null without one. */
  readonly tierOf: (agentId: string) => Tier | null;
  readonly glance: (agentId: string) => Promise<Glance>;
  /** When a token was used last, as far as it is not stored yet; Unix milliseconds, null for not. */
  readonly lastUsed: (tokenId: string) => number | null;
  /** Takes in what was just changed. */
  readonly onChanged: () => Promise<void>;
};

/** Registering agents, their review, and the profiles that come of it. */
export const assembleReview = ({ store, clock: now, ids, limits }: Deps, around: Around) => {
  const { agents, users, tokens, tools, reviews, profiles, usage } = store;
  const { auditor } = around;
  const service = new ReviewService({ reviews, profiles, agents, users, now, ids });
  const shared = {
    door: around.door,
    bodyBytes: limits.bodyBytes,
    admit: () => auditor.admit(),
    onChanged: around.onChanged,
  };
  return {
    agentRoutes: agentRoutes({
      ...shared,
      agents: new AgentService({ agents, users, tokens, tools, now, ids }),
      profiles: new ProfileService({ profiles, now, ids }),
      people: users,
      effectiveOf: around.effectiveOf,
      restrictionsOf: around.restrictionsOf,
      standingsOf: standings(tokens, around),
    }),
    reviewRoutes: reviewRoutes({
      ...shared,
      service,
      presenter: new ReviewPresenter({ reviews, agents, users, usage, now }),
    }),
    /** To be called from time to time. */
    tend: () => service.tend(now()),
  };
};

/** How agents stand, from what is at hand. */
const standings = (
  tokens: Store["tokens"],
  around: Pick<Around, "glance" | "lastUsed" | "restrictionsOf" | "tierOf">,
) => {
  return async (agentIds: readonly string[]) => {
    const used = new Map<string, number>();
    for (const { id, agent_id, last_used_at } of await tokens.usesOfAgents(agentIds)) {
      const at = Math.max(last_used_at ?? 0, around.lastUsed(id) ?? 0, used.get(agent_id) ?? 0);
      used.set(agent_id, at);
    }
    return Promise.all(
      agentIds.map(async (id) => ({
        ...(await around.glance(id)),
        risk_tier: around.tierOf(id),
        restrictions: around.restrictionsOf(id).length,
        suspended: around.restrictionsOf(id).some(({ kind }) => kind === "suspended"),
        last_used_at: timeOf(used.get(id)),
      })),
    );
  };
};

const timeOf = (at: number | undefined): string | null => (at ? timestamp(at) : null);
