import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import { callRoutes } from "./endpoints";
import { CallService } from "./service";
import { TraceService } from "./trace-service";

type ServiceParts = Omit<NeedsOf<typeof CallService>, "people" | "rulesOfAgent" | "rulesOfUser"> & {
  readonly principals: PrincipalCache;
  readonly policyResolver: PolicyResolver;
};
type RouteParts = PersonRouteParts & {
  readonly callService: CallService;
  readonly traceService: TraceService;
  readonly disableIdleTimeout: (request: Request) => void;
};

/** Calls, and what they were held to. */
export const calls = feature({
  provides: {
    callService: (c: ServiceParts) =>
      new CallService({
        calls: c.calls,
        tokens: c.tokens,
        content: c.content,
        profiles: c.profiles,
        restrictions: c.restrictions,
        reports: c.reports,
        suggestions: c.suggestions,
        tuning: c.tuning,
        people: c.principals,
        restrictionsOf: c.restrictionsOf,
        writeRecord: c.writeRecord,
        now: c.now,
        ids: c.ids,
        rulesOfAgent: (id) => c.policyResolver.rulesOfAgent(id),
        rulesOfUser: (id) => c.policyResolver.rulesOfUser(id),
      }),
    traceService: ({ calls: index, callService, now }: NeedsOf<typeof TraceService>) =>
      new TraceService({ calls: index, callService, now }),
  },
  routes: (c: RouteParts) => [
    callRoutes({
      ...personRoutes(c),
      service: c.callService,
      traces: c.traceService,
      disableIdleTimeout: c.disableIdleTimeout,
    }),
  ],
});
