import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import type { UserStore } from "#store/port";
import { agentRoutes } from "./endpoints";
import { ProfileService } from "./profiles";
import { AgentService } from "./service";
import { AgentStandings } from "./standings";
import { AgentVolumes } from "./volumes";

type RouteParts = PersonRouteParts &
  Pick<NeedsOf<typeof AgentStandings>, "restrictionsOf"> &
  Pick<Parameters<typeof agentRoutes>[0], "effectiveOf"> & {
    readonly agentService: AgentService;
    readonly publishedProfiles: ProfileService;
    readonly standings: AgentStandings;
    readonly users: Pick<UserStore, "byEmail">;
  };

/** Agents, and the profiles they are held to. */
export const agents = feature({
  provides: {
    agentService: single(AgentService),
    publishedProfiles: single(ProfileService),
    agentVolumes: single(AgentVolumes),
    standings: single(AgentStandings),
  },
  routes: (c: RouteParts) => [
    agentRoutes({
      ...personRoutes(c),
      agents: c.agentService,
      profiles: c.publishedProfiles,
      people: c.users,
      effectiveOf: c.effectiveOf,
      restrictionsOf: c.restrictionsOf,
      standingsOf: (agentIds) => c.standings.of(agentIds),
    }),
  ],
});
