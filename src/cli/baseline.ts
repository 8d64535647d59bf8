import { policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import { rulesOf } from "#policy/baseline/edits";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import type { PolicyStore } from "#store/policy-port";

/**
 * The hub's baseline as a service with these settings would have it: with what people set by hand. Its revision is the
 * stored one when it is the same policy, else the one it would become.
 */
export const baselineOf = async (
  config: Config,
  policies: Pick<PolicyStore, "latest" | "editsAt">,
): Promise<CompiledPolicy> => {
  const latest = await policies.latest();
  const byHand = latest && (await policies.editsAt(latest.revision));
  const source = policyOf(config, rulesOf(byHand?.edits ?? []));
  const isStored = latest?.source === JSON.stringify(source);
  return compilePolicy(source, isStored ? latest.revision : (latest?.revision ?? 0) + 1, DETECTORS);
};
