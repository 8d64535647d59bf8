import type { Places } from "#scan/fold/normalize";
import type { CompiledPolicy, OriginPlan } from "#scan/policy";
import type { View } from "#scan/view";
import { GrowingDecoder } from "./growing-decoder";
import type { DerivedFinding } from "./growing-window";

/** How often what was decoded is decoded again. */
const DEPTH = 2;
/** Units decoded of one text, at each of these levels. */
const MAX_DECODED = 65_536;

/** What undoes the encodings of an answer, whole or as it grows. */
export const decoderOf = (
  { behind }: CompiledPolicy,
  plan: OriginPlan,
  view: View,
  places: Places,
  found: DerivedFinding,
): GrowingDecoder => {
  const budgets = Array.from({ length: DEPTH }, () => ({ left: MAX_DECODED }));
  return new GrowingDecoder({ plan, behind, found }, view, places, budgets);
};
