import type { Denial } from "#core/profile/permits";
import type { GuardedCall } from "#engine/guarded-call";

/** Of some denials the first that holds; those that are only watched are put on record. */
export const heldBy = (call: GuardedCall, denials: readonly Denial[], type: string, param: string): Denial | null => {
  let holding: Denial | null = null;
  for (const denial of denials) if (!call.watches(denial, type, param)) holding ??= denial;
  return holding;
};
