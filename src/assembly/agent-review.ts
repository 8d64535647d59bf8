import type { Auditor } from "#engine/auditor";
import type { signedInPerson } from "#http/person";
import { ProfileService } from "#modules/agents/profiles";
import { agentRoutes } from "#modules/agents/routes";
import { AgentService } from "#modules/agents/service";
import { ReviewPresenter } from "#modules/reviews/presenter";
import { reviewRoutes } from "#modules/reviews/routes";
import { ReviewService } from "#modules/reviews/service";
import type { Clock } from "#platform/clock";
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
