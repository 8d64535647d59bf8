import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import { flagOf, isSafe } from "#core/scan/flag";
import type { Directory } from "#engine/directory";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import type { ScanRequest, ScanResult } from "#modules/scan/schema";

type Deps = {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly check: (body: unknown) => ScanRequest;
};

/** What the scanner would say: audited as a call, no event, no report, nothing passed on. */
export class ScanService {
  constructor(private readonly deps: Deps) {}

  /** Everything thrown is a `GuardError`; the record is on disk before this returns. */
  async probe(caller: Caller, id: string, read: () => unknown): Promise<ScanResult> {
    this.deps.guard.auditor.admit();
    const call = new GuardedCall(this.deps.guard, caller, "guard.scan", id);
    try {
      call.mustRun();
      const request = this.deps.check(read());
      this.askFor(call, caller, request.agent_id ?? null);
      const result = this.scan(call, request);
      await call.finish("answered", 200);
      return result;
    } catch (error) {
      throw await call.fail(error);
    }
  }

  private scan(call: GuardedCall, { text, origin = "user" }: ScanRequest): ScanResult {
    const { effective } = call.rules;
    const begin = performance.now();
    const findings = call.probe({ text, origin, param: "text" });
    const scanMs = performance.now() - begin;
    return {
      safe: isSafe(findings, effective.mode),
      scan_ms: Math.round(scanMs * 1000) / 1000,
      flags: findings.map((finding) => flagOf(text, finding)),
      mode: effective.mode,
      policy_revision: call.policy.revision,
    };
  }

  /** Judged as the agent would be. Another's agent answers like one that does not exist. Throws `not_found`. */
  private askFor(call: GuardedCall, caller: Caller, agentId: string | null): void {
    if (agentId === null) return;
    const agent = this.deps.directory.agent(agentId);
    const own = caller.agent ? caller.agent.id === agentId : agent?.owner_id === caller.user.id;
    if (!agent || !own) throw new GuardError("not_found", "There is no such agent.", { param: "agent_id" });
    call.rules = this.deps.guard.governor.rulesOf({ agent, user: caller.user });
  }
}
