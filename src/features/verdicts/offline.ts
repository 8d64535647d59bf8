import { GuardError } from "#core/errors";
import type { CallGate } from "#guard/call-gate";
import { auditedCall } from "#guard/endpoints/audited-call";
import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall } from "#guard/guarded-call";
import type { TokenPrincipal } from "#model/principal";
import { verdictKindOf } from "#model/verdict";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { actType } from "#policy/profile/local-acts";
import type { HookRules, HookRulesOf } from "./hook-rules";
import type { OfflineDecision, OfflineReport } from "./offline-report";

/** Where a call of a tool has what is judged. */
const PARAM = "tool_input";

type OfflineNeeds = {
  readonly guard: GuardNeeds;
  readonly hookRules: HookRulesOf;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What hooks need for the time without the hub, and what they decided in it. */
export class OfflineHooks {
  constructor(private readonly deps: OfflineNeeds) {}

  /** The rules a hook may keep; null for none. Audited as a call. */
  rules(caller: TokenPrincipal, id: string): Promise<HookRules | null> {
    return auditedCall(this.deps.guard, { caller, kind: "guard.hook_rules", id }, async ({ context, gate }) => {
      gate.assertNotStopped();
      return this.deps.hookRules.of(context.rules);
    });
  }

  /** Records each decision as a call of its own. Throws `audit_unavailable`. */
  report(caller: TokenPrincipal, id: string, read: () => OfflineReport): Promise<{ readonly recorded: number }> {
    return auditedCall(this.deps.guard, { caller, kind: "guard.hook_report", id }, async () => {
      const { decisions } = read();
      for (const decision of decisions) await this.record(caller, decision);
      return { recorded: decisions.length };
    });
  }

  private async record(caller: TokenPrincipal, decision: OfflineDecision): Promise<void> {
    const { guard, ids, now } = this.deps;
    const { harness, conversation, permission, kind, layer, rule } = decision;
    const { context, record, gate } = beginCall(guard, { caller, kind: verdictKindOf(harness), id: ids() });
    const decided = Date.parse(decision.at);
    // The clock of another machine may be ahead.
    context.decidedOffline = new Date(Number.isNaN(decided) ? now() : Math.min(decided, now())).toISOString();
    try {
      await attached(gate, conversation === "" ? null : conversation);
      record.coverage.gap("output", PARAM, "offline");
      const isDenied = permission === "deny";
      if (permission !== "allow") {
        const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
        const finding = { type: actType(kind), ...place, action: isDenied ? "block" : "flag", layer, rule } as const;
        record.add([finding], { param: PARAM, origin: "output" }, "output", "enforce");
        if (isDenied) record.deny({ layer, rule });
      }
      await record.finish(isDenied ? "blocked_output" : "answered", 200, isDenied ? "content_filter" : null);
    } catch (error) {
      throw await record.fail(error);
    }
  }
}

/** A name that may not be recorded is left out: the decision is recorded all the same, with what was found. */
const attached = async (gate: CallGate, conversation: string | null): Promise<void> => {
  try {
    await gate.attachConversation(conversation);
  } catch (error) {
    if (!(error instanceof GuardError) || error.code !== "content_filter") throw error;
  }
};
