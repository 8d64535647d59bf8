import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { User } from "#model/person";
import { overviewRoutes } from "./endpoints";
import { OverviewService } from "./service";

type Waiting = Record<
  "total" | "review" | "tuning" | "policy" | "held_call" | "rebaseline" | "tool_definition" | "report",
  number
>;
type ServiceParts = Omit<NeedsOf<typeof OverviewService>, "agents" | "userName" | "turnOf"> & {
  readonly principals: PrincipalCache;
  readonly inboxService: { of(user: User): Promise<{ readonly counts: Waiting }> };
};
type RouteParts = PersonRouteParts & { readonly overviewService: OverviewService };

/** The hub at one look. */
export const overview = feature({
  provides: {
    overviewService: ({ calls, watch, killSwitches, restrictionsOf, now, principals, inboxService }: ServiceParts) =>
      new OverviewService({
        calls,
        watch,
        killSwitches,
        restrictionsOf,
        now,
        agents: () => principals.allAgents(),
        userName: (id) => principals.user(id)?.email ?? null,
        async turnOf(user) {
          const { counts } = await inboxService.of(user);
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
  routes: (c: RouteParts) => [overviewRoutes({ ...personRoutes(c), service: c.overviewService })],
});
