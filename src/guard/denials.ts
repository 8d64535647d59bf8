import type { CallRecord } from "#guard/call-record";
import type { Stage } from "#model/audit";
import type { Denial } from "#policy/profile/permits";

/** Of some denials the first that holds; those that are only watched are noted in the record. */
export const firstEnforcedDenial = (
  record: CallRecord,
  denials: readonly Denial[],
  type: string,
  param: string,
  stage: Stage = "input",
): Denial | null => {
  let holding: Denial | null = null;
  for (const denial of denials) if (!record.watches(denial, type, param, stage)) holding ??= denial;
  return holding;
};
