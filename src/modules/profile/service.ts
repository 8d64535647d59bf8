import type { Caller } from "#core/caller";
import type { GuardrailProfile } from "#core/profile/profile";
import type { Directory } from "#engine/directory";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import { ownAgent } from "#engine/own-agent";

type Deps = {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  /** The profile in force; null for an ungoverned agent. */
  readonly profileOf: (agentId: string) => GuardrailProfile | null;
};

/** What an agent is held to, for itself and its owner. */
export class ProfileReadService {
  constructor(private readonly deps: Deps) {}

  /** Audited as a call. Everything thrown is a `GuardError`; the record is on disk before this returns. */
  async read(caller: Caller, id: string, agentId: string): Promise<GuardrailProfile | null> {
    const { guard, directory, profileOf } = this.deps;
    guard.auditor.admit();
    const call = new GuardedCall(guard, caller, "guard.profile", id);
    try {
      const profile = profileOf(ownAgent(directory, caller, agentId).id);
      await call.finish("answered", 200);
      return profile;
    } catch (error) {
      throw await call.fail(error);
    }
  }
}
