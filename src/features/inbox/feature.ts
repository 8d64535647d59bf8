import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Clock } from "#platform/clock";
import { inboxRoutes } from "./endpoints";
import { InboxService } from "./service";
import { type SourceNeeds, sourcesOf } from "./sources";

type ServiceParts = Omit<SourceNeeds, "agent" | "people" | "servers" | "pinsOf"> & {
  readonly users: SourceNeeds["people"];
  readonly principals: PrincipalCache;
  readonly toolRegistry: ToolRegistryCache;
  readonly now: Clock;
};
type RouteParts = PersonRouteParts & { readonly inboxService: InboxService };

/** What waits for a person. */
export const inbox = feature({
  provides: {
    inboxService: (c: ServiceParts) =>
      new InboxService({
        sources: sourcesOf({
          reviews: c.reviews,
          suggestions: c.suggestions,
          policies: c.policies,
          holds: c.holds,
          watch: c.watch,
          reports: c.reports,
          people: c.users,
          rulingOnSuggestion: c.rulingOnSuggestion,
          agent: (id) => c.principals.agent(id),
          servers: () => c.toolRegistry.all(),
          pinsOf: (id) => c.toolRegistry.pinsOf(id),
        }),
        people: c.principals,
        now: c.now,
      }),
  },
  routes: (c: RouteParts) => [inboxRoutes({ ...personRoutes(c), service: c.inboxService })],
});
