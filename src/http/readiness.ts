import type { Auditor } from "#audit/auditor";
import type { Scanner } from "#guard/scanner";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { tokenAuth } from "./auth/token";
import { healthRoutes } from "./health";

type RouteParts = {
  readonly auditor: Auditor;
  readonly principals: PrincipalCache;
  readonly scanner: Scanner;
  readonly callerAuth: ReturnType<typeof tokenAuth>;
};

/** Whether the hub runs, and whether it can serve. */
export const readiness = feature({
  setupRoutes: ({ auditor, principals, scanner, callerAuth }: RouteParts) => [
    healthRoutes(callerAuth, () => {
      const checks = {
        audit: auditor.healthy,
        principals: principals.revision > 0,
        accepting: auditor.isAcceptingWork,
        scanner: scanner.isWarm,
      };
      return { ready: Object.values(checks).every(Boolean), checks };
    }),
  ],
});
