import type { Directory } from "#engine/directory";
import type { Governor } from "#engine/governance/governor";
import type { signedInPerson } from "#http/person";
import { callRoutes } from "#modules/calls/routes";
import { CallService } from "#modules/calls/service";
import type { Clock } from "#platform/clock";
import type { Store } from "#store/port";

export type DashboardDeps = {
  readonly store: Pick<Store, "calls" | "content" | "profiles" | "restrictions" | "reports" | "suggestions" | "tuning">;
  readonly clock: Clock;
};

type Around = {
  readonly directory: Directory;
  readonly governor: Governor;
  readonly door: ReturnType<typeof signedInPerson>;
};

/** What people look at: the addresses the dashboard reads. */
export const assembleDashboard = ({ store, clock: now }: DashboardDeps, { directory, governor, door }: Around) => {
  const { calls, content, profiles, restrictions, reports, suggestions, tuning } = store;
  const callService = new CallService({
    ...{ calls, content, profiles, restrictions, reports, suggestions, tuning, now },
    people: directory,
    rulesOfAgent: (id) => governor.rulesOfAgent(id),
    rulesOfUser: (id) => governor.rulesOfUser(id),
    restrictionsOf: (id) => governor.restrictionsOf(id),
  });
  return { routes: [callRoutes({ service: callService, door })] };
};
