import { auditedCall, ownAgent } from "#guard/endpoints/audited-call";
import type { GuardNeeds } from "#guard/guard-needs";
import type { PrincipalCache } from "#identity/principal-cache";
import type { TokenPrincipal } from "#model/principal";
import type { GuardrailProfile } from "#policy/profile/profile";

type ProfileReadServiceNeeds = {
  readonly guard: GuardNeeds;
  readonly principals: PrincipalCache;
  /** The profile in force; null for an ungoverned agent. */
  readonly profileOf: (agentId: string) => GuardrailProfile | null;
};

/** What an agent is held to, for itself and its owner. */
export class ProfileReadService {
  constructor(private readonly deps: ProfileReadServiceNeeds) {}

  /** Audited as a call. Everything thrown is a `GuardError`; the record is on disk before this returns. */
  read(caller: TokenPrincipal, id: string, agentId: string): Promise<GuardrailProfile | null> {
    const { guard, principals, profileOf } = this.deps;
    return auditedCall(guard, { caller, kind: "guard.profile", id }, async () =>
      profileOf(ownAgent(principals, caller, agentId).id),
    );
  }
}
