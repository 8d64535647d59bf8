import type { Scanner } from "#guard/scanner";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import { BaselineChanges } from "./baseline/changes";
import { BaselineReplay } from "./baseline/replay";
import { BaselineService } from "./baseline/service";
import { policyRoutes } from "./endpoints";
import { PolicyService } from "./service";

/** What of the configuration is about the policy as a whole, and not to be changed here. */
const SETTINGS: readonly string[] = ["guard.mode", "guard.hold_back", "limits.body_bytes"];

type BaselineParts = Omit<NeedsOf<typeof BaselineService>, "sync" | "replay"> & {
  readonly scanner: Scanner;
  readonly baselineReplay: BaselineReplay;
  readonly onChanged: () => Promise<void>;
};
type Setting = { readonly key: string; readonly value: unknown; readonly origin: string };
type ServiceParts = {
  readonly baselineService: BaselineService;
  readonly management: { readonly operating: { readonly configuration: () => readonly Setting[] } };
};
type RouteParts = PersonRouteParts & { readonly policyService: PolicyService };

/** The hub's baseline, and how people change it. */
export const policyChanges = feature({
  provides: {
    baselineReplay: single(BaselineReplay),
    baselineService: ({ baseline, scanner, policies, users, baselineReplay, onChanged, now, ids }: BaselineParts) =>
      new BaselineService({ baseline, scanner, policies, users, replay: baselineReplay, sync: onChanged, now, ids }),
    policyService: ({ baselineService, management }: ServiceParts) =>
      new PolicyService({
        baselineService,
        changes: new BaselineChanges(baselineService),
        settings: () =>
          management.operating
            .configuration()
            .filter(({ key }) => SETTINGS.includes(key))
            .map(({ key, value, origin }) => ({ key, value, origin })),
      }),
  },
  routes: (c: RouteParts) => [policyRoutes({ ...personRoutes(c), service: c.policyService })],
});
