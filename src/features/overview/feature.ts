import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { User } from "#model/person";
import { overviewRoutes } from "./endpoints";
import { OverviewService } from "./service";
import { TrafficService } from "./traffic-service";

type Waiting = Record<
  "total" | "review" | "tuning" | "policy" | "held_call" | "rebaseline" | "tool_definition" | "report",
  number
>;
type TrafficParts = Omit<NeedsOf<typeof TrafficService>, "agents" | "userName"> & {
  readonly principals: PrincipalCache;
};
type ServiceParts = Omit<NeedsOf<typeof OverviewService>, "agents" | "traffic" | "turnOf"> & {
  readonly principals: PrincipalCache;
  readonly trafficService: TrafficService;
  readonly inboxService: { counts(user: User): Promise<Waiting> };
};
type RouteParts = PersonRouteParts & {
  readonly overviewService: OverviewService;
  readonly trafficService: TrafficService;
};

/** The hub at one look. */
export const overview = feature({
  provides: {
    trafficService: ({ calls, now, principals }: TrafficParts) =>
      new TrafficService({
        calls,
        now,
        agents: () => principals.allAgents(),
        userName: (id) => principals.user(id)?.email ?? null,
      }),
    overviewService: ({
      trafficService,
      watch,
      killSwitches,
      restrictionsOf,
      now,
      principals,
      inboxService,
    }: ServiceParts) =>
      new OverviewService({
        traffic: trafficService,
        watch,
        killSwitches,
        restrictionsOf,
        now,
        agents: () => principals.allAgents(),
        async turnOf(user) {
          const counts = await inboxService.counts(user);
          return {
            total: counts.total,
            reviews: counts.review,
            tuning: counts.tuning,
            policy: counts.policy,
            held_calls: counts.held_call,
            rebaselines: counts.rebaseline,
            tool_definitions: counts.tool_definition,
            reports: counts.report,
          };
        },
      }),
  },
  routes: (c: RouteParts) => [
    overviewRoutes({ ...personRoutes(c), service: c.overviewService, traffic: c.trafficService }),
  ],
});
