import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import { evidenceRoutes } from "./endpoints";
import { EvidenceService } from "./service";

type RouteParts = PersonRouteParts & { readonly evidenceService: EvidenceService };

/** Reports for auditors: what governed an agent, and what it did. */
export const evidence = feature({
  provides: { evidenceService: single(EvidenceService) },
  routes: (c: RouteParts) => [evidenceRoutes({ ...personRoutes(c), service: c.evidenceService })],
});
