import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import { evidenceRoutes } from "./endpoints";
import { EvidenceService } from "./service";

/** Between two pieces of a report: more than half of the time is the calls'. Milliseconds. */
const PAUSE_MS = 2;

type ServiceParts = Omit<NeedsOf<typeof EvidenceService>, "pause">;
type RouteParts = PersonRouteParts & {
  readonly evidenceService: EvidenceService;
  readonly disableIdleTimeout: (request: Request) => void;
};

/** Reports for auditors: what governed an agent, and what it did. */
export const evidence = feature({
  provides: {
    evidenceService: (c: ServiceParts) =>
      new EvidenceService({
        agents: c.agents,
        users: c.users,
        reviews: c.reviews,
        profiles: c.profiles,
        restrictions: c.restrictions,
        killSwitches: c.killSwitches,
        reports: c.reports,
        audit: c.audit,
        proofs: c.proofs,
        writeRecord: c.writeRecord,
        version: c.version,
        now: c.now,
        ids: c.ids,
        pause: () => Bun.sleep(PAUSE_MS),
      }),
  },
  routes: (c: RouteParts) => [
    evidenceRoutes({ ...personRoutes(c), service: c.evidenceService, disableIdleTimeout: c.disableIdleTimeout }),
  ],
});
