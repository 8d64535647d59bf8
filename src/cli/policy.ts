import { floorOf, policyOf } from "#config/policy";
import type { Config } from "#config/schema";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import { rulesOf } from "#policy/baseline/edits";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import type { PolicyStore } from "#store/policy-port";
import type { CliSession } from "./session";
import type { Invocation } from "./verb";

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

/** What agents and users are held to, as a service with these settings would know it. */
export const policyResolverOf = async (
  { config }: Pick<Invocation, "config">,
  { inputs, contentHash }: Pick<CliSession, "inputs" | "contentHash">,
  baseline: CompiledPolicy,
): Promise<PolicyResolver> => {
  const { keep_blocked_hours: keepBlockedHours, ungoverned } = config().guard;
  const retentionOptions = { keepBlockedHours, hash: await contentHash() };
  const governance = { floor: floorOf(config()), ungoverned, staleMs: Number.POSITIVE_INFINITY };
  // Most scans ask about no agent.
  const { commandParts } = await import("#app");
  const { policyResolver } = commandParts(
    { ...inputs, retentionOptions, governance },
    { policyInForce: () => baseline },
  );
  policyResolver.apply(await inputs.store.changes.changesSince(0));
  return policyResolver;
};
