import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import { holdRoutes } from "./endpoints";
import { HoldService } from "./service";

type RouteParts = PersonRouteParts & { readonly holdService: HoldService };

/** Tool calls that wait for a person. */
export const holds = feature({
  provides: { holdService: single(HoldService) },
  routes: (c: RouteParts) => [holdRoutes({ ...personRoutes(c), service: c.holdService })],
});
