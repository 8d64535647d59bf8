import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import type { Clock } from "#platform/clock";
import type { NodeStore } from "#store/node-port";
import type { SharedStore } from "#store/shared-port";
import { restrictionRoutes } from "./endpoints";
import { KillSwitchService } from "./kill-switches";
import { RestrictionService } from "./service";
import { Triggers, type TriggersOptions } from "./triggers";

/** How often what agents have done is looked at. Milliseconds. */
const TRIGGERS_MS = 100;

type TriggerParts = Omit<NeedsOf<typeof Triggers>, keyof TriggersOptions | "shared"> & {
  readonly nodes: Pick<NodeStore, "self">;
  readonly shared: SharedStore;
  /** Null where only people restrict. */
  readonly automatic: TriggersOptions | null;
};
type Triggering = { readonly triggers: Triggers | null };
type RouteParts = PersonRouteParts & {
  readonly restrictionService: RestrictionService;
  readonly killSwitchService: KillSwitchService;
  readonly now: Clock;
};

/** What stops agents: people, kill switches, and what agents do themselves. */
export const restrictions = feature({
  provides: {
    triggers: (c: TriggerParts) => {
      const { automatic, policyResolver, restrictions, onChanged, nodes, now, ids, log } = c;
      if (automatic === null) return null;
      const shared = nodes.self?.isAlone === false ? c.shared : null;
      return new Triggers({ ...automatic, policyResolver, restrictions, shared, onChanged, now, ids, log });
    },
    restrictionService: single(RestrictionService),
    killSwitchService: single(KillSwitchService),
  },
  routes: (c: RouteParts) => [
    restrictionRoutes({
      ...personRoutes(c),
      restrictions: c.restrictionService,
      killSwitches: c.killSwitchService,
      now: c.now,
    }),
  ],
  onCallEnded: (c: Triggering) => (record) => c.triggers?.note(record),
  jobs: (c: Triggering) =>
    c.triggers ? [{ name: "triggers", everyMs: TRIGGERS_MS, run: () => c.triggers?.runOnce() }] : [],
  stop: (c: Triggering) => () => c.triggers?.settle(),
});
