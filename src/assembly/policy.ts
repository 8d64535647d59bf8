import type { Baseline } from "#core/baseline/baseline";
import { BaselineChanges } from "#engine/baseline/changes";
import { BaselineDesk } from "#engine/baseline/desk";
import { BaselineReplay } from "#engine/baseline/replay";
import type { Scanner } from "#engine/scanner";
import type { signedInPerson } from "#http/person";
import type { Operating } from "#modules/operating/port";
import { policyRoutes } from "#modules/policy/routes";
import { PolicyService } from "#modules/policy/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Store } from "#store/port";

export type PolicyDeps = {
  readonly baseline: Baseline;
  readonly store: Pick<Store, "policies" | "users" | "audit" | "reports">;
  readonly scanner: Scanner;
  readonly management: { readonly operating: Operating };
  readonly clock: Clock;
  readonly ids: Ids;
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  readonly sync: () => Promise<void>;
};

/** What of the configuration is about the policy as a whole, and not to be changed here. */
const SETTINGS: readonly string[] = ["guard.mode", "guard.hold_back", "limits.body_bytes"];

/** The hub's baseline, and how people change it. */
export const assemblePolicy = (deps: PolicyDeps, { sync, ...web }: Around) => {
  const { baseline, store, scanner, clock: now, ids, management } = deps;
  const { policies, users, audit, reports } = store;
  const replay = new BaselineReplay({ audit, reports });
  const desk = new BaselineDesk({ baseline, scanner, policies, users, replay, sync, now, ids });
  const service = new PolicyService({
    desk,
    changes: new BaselineChanges(desk),
    settings: () =>
      management.operating
        .configuration()
        .filter(({ key }) => SETTINGS.includes(key))
        .map(({ key, value, origin }) => ({ key, value, origin })),
  });
  return policyRoutes({ ...web, service });
};
