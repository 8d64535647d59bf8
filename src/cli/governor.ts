import { floorOf } from "#config/policy";
import { fitsPattern } from "#core/scan/custom";
import type { CompiledPolicy } from "#core/scan/policy";
import { Governor } from "#engine/governance/governor";
import { Tunings } from "#engine/tuning/tunings";
import { systemClock } from "#platform/clock";
import type { Session } from "./session";
import type { Invocation } from "./verb";

/** What agents and users are held to, as a service with these settings would know it. */
export const governorOf = async (
  { config }: Pick<Invocation, "config">,
  { store, contentHash }: Pick<Session, "store" | "contentHash">,
  baseline: CompiledPolicy,
): Promise<Governor> => {
  const { of: hashOf } = await contentHash();
  const governor = new Governor({
    now: systemClock,
    baseline: () => baseline,
    floor: floorOf(config()),
    ungoverned: config().guard.ungoverned,
    tunings: new Tunings({ now: systemClock, hashOf, fits: fitsPattern }),
    staleMs: Number.POSITIVE_INFINITY,
  });
  governor.take(await store.changes.changesSince(0));
  return governor;
};
