import { type Actor, changeRecord } from "#core/change";
import type { CompiledPolicy, PolicySource } from "#core/scan/policy";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { PolicyStore } from "#store/port";

type Deps = {
  readonly policies: PolicyStore;
  readonly compile: (source: PolicySource, revision: number) => CompiledPolicy;
  readonly now: Clock;
  readonly ids: Ids;
};

/**
 * The wanted policy, stored and numbered: the latest revision when that is it already, else a new one, with its
 * audit record. Every revision an audit record names can so be looked up later. Throws what `compile` throws.
 */
export const policyInForce = async (wanted: PolicySource, deps: Deps): Promise<CompiledPolicy> => {
  const source = JSON.stringify(wanted);
  for (;;) {
    const latest = await deps.policies.latest();
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
