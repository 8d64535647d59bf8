import type { AnsweredCall } from "#core/answered-call";
import type { Caller } from "#core/caller";
import { HoldNeeded, heldError, type Needed, needOf, refuseTool } from "#engine/governance/answered-calls";
import type { Holds } from "#engine/governance/holds";
import type { GuardedCall } from "#engine/guarded-call";

/** What a stream asks about its tool calls, and whom it tells how it ended. */
export type StreamJudge = {
  readonly begun: (answered: AnsweredCall) => void;
  readonly complete: (answered: AnsweredCall) => void;
  readonly onHold: (needed: Needed) => Promise<unknown>;
  readonly onComplete: () => Promise<void>;
};

/**
 * Holds tool calls to what governs their agent. A call that needs a person passes on an approval of exactly this call,
 * which is then used; else it is answered with what it waits for.
 */
export class CallJudge {
  constructor(private readonly holds: Holds) {}

  /** Of a whole answer. Throws `content_filter`. */
  async judge(call: GuardedCall, caller: Caller, answered: readonly AnsweredCall[]): Promise<void> {
    for (const each of answered) {
      refuseTool(call, each);
      const need = needOf(call, each);
      if (need) await this.mustPass(call, caller, { ...each, ...need }, "output");
    }
  }

  /** The same for a stream, which cannot wait: the approvals there are, are asked for before it begins. */
  async forStream(call: GuardedCall, caller: Caller, agentId: string): Promise<StreamJudge> {
    const isApproved = await this.holds.approvedFor(agentId);
    const passed: Needed[] = [];
    return {
      begun: (answered) => refuseTool(call, answered),
      complete: (answered) => {
        refuseTool(call, answered);
        const need = needOf(call, answered);
        if (!need) return;
        const needed = { ...answered, ...need };
        if (!isApproved(needed.tool, needed.arguments)) throw new HoldNeeded(needed);
        passed.push(needed);
      },
      onHold: (needed) =>
        this.mustPass(call, caller, needed, "output").then(
          () => new Error("approved while the answer was on its way"),
          (error: unknown) => error,
        ),
      onComplete: async () => {
        for (const needed of passed) await this.mustPass(call, caller, needed, "output");
      },
    };
  }

  /** Throws `content_filter` with `action: "hold"` unless a person has approved exactly this call. */
  async mustPass(
    call: GuardedCall,
    { user, agent, token }: Caller,
    needed: Needed,
    stage: "input" | "output",
  ): Promise<void> {
    if (!agent) return;
    const { tool, arguments: given, cause, layer, param } = needed;
    const whose = { agent_id: agent.id, user_id: user.id, token_id: token.id, event_id: call.claimEvent() };
    const decision = await this.holds.check({ ...whose, tool, arguments: given, cause, layer });
    if (decision === "passes") return;
    const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
    const finding = { type: cause, ...place, action: "block", layer, rule: cause } as const;
    call.record([finding], { param, origin: stage === "input" ? "tool_args" : "output" });
    throw heldError(needed, decision.held, stage);
  }
}
