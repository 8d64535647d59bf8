import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import { mapRoutes } from "./endpoints";
import { MapService } from "./service";

type ServiceParts = { readonly principals: PrincipalCache; readonly toolRegistry: ToolRegistryCache };
type RouteParts = PersonRouteParts & { readonly mapService: MapService };

/** Who uses what: agents, their owners, and the tools they are given. */
export const map = feature({
  provides: {
    mapService: ({ principals, toolRegistry }: ServiceParts) =>
      new MapService({
        agents: () => principals.allAgents(),
        user: (id) => principals.user(id),
        servers: () => toolRegistry.all(),
        pinsOf: (id) => toolRegistry.pinsOf(id),
        assignmentsOf: (id) => toolRegistry.assignmentsOf(id),
      }),
  },
  routes: (c: RouteParts) => [mapRoutes({ ...personRoutes(c), service: c.mapService })],
});
