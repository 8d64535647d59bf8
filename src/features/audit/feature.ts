import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import { auditRoutes } from "./endpoints";
import { AuditService } from "./service";

/** Between two pieces of a check of the chain: half of the time is the calls'. Milliseconds. */
const PAUSE_MS = 2;

type ServiceParts = Omit<NeedsOf<typeof AuditService>, "people" | "pause"> & { readonly principals: PrincipalCache };
type RouteParts = PersonRouteParts & {
  readonly auditService: AuditService;
  readonly disableIdleTimeout: (request: Request) => void;
};

/** The audit log, read and checked by people. */
export const audit = feature({
  provides: {
    auditService: ({ audit, principals, version, writeRecord, now, ids, log }: ServiceParts) =>
      new AuditService({
        audit,
        people: principals,
        version,
        writeRecord,
        now,
        ids,
        log,
        pause: () => Bun.sleep(PAUSE_MS),
      }),
  },
  routes: (c: RouteParts) => [
    auditRoutes({ ...personRoutes(c), service: c.auditService, disableIdleTimeout: c.disableIdleTimeout }),
  ],
});
