import { floorOf } from "#config/policy";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { CompiledPolicy } from "#scan/policy";
import type { CliSession } from "./session";
import type { Invocation } from "./verb";

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
