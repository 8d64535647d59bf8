import { Containment } from "#engine/governance/containment";
import type { Governor } from "#engine/governance/governor";
import { Holds } from "#engine/governance/holds";
import { Triggers, type TriggersOptions } from "#engine/governance/triggers";
import type { Heartbeat } from "#engine/heartbeat";
import type { signedInPerson } from "#http/person";
import { holdRoutes } from "#modules/holds/routes";
import { HoldService } from "#modules/holds/service";
import { KillSwitchService } from "#modules/restrictions/kill-switches";
import { restrictionRoutes } from "#modules/restrictions/routes";
import { RestrictionService } from "#modules/restrictions/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";

export type RestrictionDeps = {
  /** Null where only people restrict. */
  readonly automatic: TriggersOptions | null;
  readonly store: Pick<Store, "agents" | "users" | "tools" | "restrictions" | "killSwitches" | "holds" | "audit">;
  readonly tools: Sealing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
};

type Around = {
  readonly governor: Governor;
  readonly heartbeat: Heartbeat;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly admit: () => void;
  /** Takes in what was just changed. */
  readonly onChanged: () => Promise<void>;
};

/** What stops agents: people, kill switches, and what agents do themselves; and calls that wait for a person. */
export const assembleRestrictions = (deps: RestrictionDeps, around: Around) => {
  const { store, clock: now, ids, log, limits, tools } = deps;
  const { governor, heartbeat, door, admit, onChanged, writeRecord } = around;
  const { restrictions, killSwitches, agents, users } = store;
  const basics = { now, ids };
  const containment = new Containment({
    ...{ restrictions, killSwitches, log, ...basics },
    openCalls: () => heartbeat.calls(),
  });
  const triggers =
    deps.automatic && new Triggers({ ...deps.automatic, governor, restrictions, onChanged, log, ...basics });
  const contained = (id: string) => containment.contained(id);
  const shared = { door, admit, bodyBytes: limits.bodyBytes };
  return {
    containment,
    triggers,
    holds: new Holds({ holds: store.holds, seal: tools.seal, ...basics }),
    restrictionRoutes: restrictionRoutes({
      ...shared,
      now,
      restrictions: new RestrictionService({ restrictions, agents, onChanged, contained, ...basics }),
      killSwitches: new KillSwitchService({
        ...{ killSwitches, users, agents, tools: store.tools },
        ...{ onChanged, contained, ...basics },
      }),
    }),
    holdRoutes: holdRoutes({
      ...shared,
      service: new HoldService({
        ...{ holds: store.holds, agents, users: store.users, unseal: tools.unseal, writeRecord, ...basics },
        tierOf: (id) => governor.profileOf(id)?.body.risk_tier ?? null,
      }),
    }),
  };
};
