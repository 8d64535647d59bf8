import { type PolicyResolver, subjectOf } from "#guard/enforcement/policy-resolver";
import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { Clock } from "#platform/clock";
import { holdingOf, modelDenials } from "#policy/profile/permits";
import { modelRoutes } from "./routes";
import { ModelService } from "./service";

type ServiceParts = Omit<NeedsOf<typeof ModelService>, "clock"> & { readonly now: Clock };
type RouteParts = CallerRouteParts & { readonly modelService: ModelService; readonly policyResolver: PolicyResolver };

/** Which models a caller may use. */
export const models = feature({
  provides: {
    modelService: ({ dispatcher, now: clock, log }: ServiceParts) => new ModelService({ dispatcher, clock, log }),
  },
  callRoutes: (c: RouteParts) => [
    modelRoutes({
      ...callerRoutes(c),
      service: c.modelService,
      assertNotStopped: (caller) => c.policyResolver.assertNotStopped(subjectOf(caller)),
      mayUse: (caller, model) => {
        const { effective } = c.policyResolver.rulesOf(caller);
        return holdingOf(effective, modelDenials(effective, model)) === null;
      },
    }),
  ],
});
