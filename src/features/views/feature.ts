import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import { viewRoutes } from "./endpoints";
import { ViewService } from "./service";

type ServiceParts = Omit<NeedsOf<typeof ViewService>, "people"> & { readonly principals: PrincipalCache };
type RouteParts = PersonRouteParts & { readonly viewService: ViewService };

/** Filters of screens that people keep under a name. */
export const views = feature({
  provides: {
    viewService: ({ views, principals, now, ids }: ServiceParts) =>
      new ViewService({ views, people: principals, now, ids }),
  },
  routes: (c: RouteParts) => [viewRoutes({ ...personRoutes(c), service: c.viewService })],
});
