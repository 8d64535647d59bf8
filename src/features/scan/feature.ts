import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import { scanRoutes, trialRoutes } from "./endpoints";
import { ScanService } from "./service";

type RouteParts = CallerRouteParts & PersonRouteParts & { readonly scanService: ScanService };

/** What the scanner says of a text: to agents, and to people who try it out. */
export const scan = feature({
  provides: { scanService: single(ScanService) },
  routes: (c: RouteParts) => [
    scanRoutes({ ...callerRoutes(c), service: c.scanService }),
    trialRoutes({ ...personRoutes(c), service: c.scanService, answers: c.answers }),
  ],
});
