import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { rulesOf } from "#policy/baseline/edits";
import type { CompiledPolicy, PolicyRule, PolicySource } from "#scan/policy";
import type { PolicyStore } from "#store/policy-port";

type PolicyInForceNeeds = {
  readonly policies: Pick<PolicyStore, "latest" | "editsAt" | "append">;
  /** What the configuration makes of the rules people have set by hand. */
  readonly source: (edits: readonly PolicyRule[]) => PolicySource;
  readonly compile: (source: PolicySource, revision: number) => CompiledPolicy;
  readonly now: Clock;
  readonly ids: Ids;
};

/**
 * What the configuration and what is set by hand come to, stored and numbered: the latest revision when that is it
 * already, else a new one, with its audit record. Every revision an audit record names can so be looked up later. Throws what `compile` throws.
 */
export const policyInForce = async (deps: PolicyInForceNeeds): Promise<CompiledPolicy> => {
  for (;;) {
    const latest = await deps.policies.latest();
    const byHand = latest && (await deps.policies.editsAt(latest.revision));
    const wanted = deps.source(rulesOf(byHand?.edits ?? []));
    const source = JSON.stringify(wanted);
    if (latest?.source === source) return deps.compile(wanted, latest.revision);
    const revision = (latest?.revision ?? 0) + 1;
    const policy = deps.compile(wanted, revision);
    const at = deps.now();
    const detail = { revision, origin: "configuration" };
    const change = { kind: "policy.adopt", by: SYSTEM, subject: "policy", subject_id: String(revision), detail };
    const stored = await deps.policies.append(revision - 1, source, at, changeRecord(change, { id: deps.ids(), at }));
    if (stored) return policy;
    // Another process was first: look again.
  }
};

const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };
