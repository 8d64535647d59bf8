import { HoldNeeded, heldError, meantCall, type Need, type Needed, needOf, refuseTool } from "#guard/answered-calls";
import type { CallRecord } from "#guard/call-record";
import type { Holds } from "#guard/enforcement/holds";
import type { GuardedCall } from "#guard/guarded-call";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import { isCallTool } from "#model/tools/own-tools";
import type { EffectHints } from "#policy/profile/permits";

/** What is asked about the tool calls of an answer; both throw to end it. */
export type ToolRules = {
  /** Its tool is known. */
  readonly begun: (call: AnsweredCall) => void;
  /** All calls of a choice: their arguments are complete, were scanned, and are as they will leave. */
  readonly complete: (calls: readonly AnsweredCall[]) => void;
};

/** What a stream asks about its tool calls, and whom it tells how it ended. */
export type StreamApprovals = ToolRules & {
  /** The error that a stream which has to wait for people ends with. */
  readonly onHold: (needed: readonly Needed[]) => Promise<unknown>;
  /**
   * Resolves when every approval that let a tool call through is used up; rejects when one was not to be had, because
   * another process has used it. Nothing of the answer leaves meanwhile. Null when all are.
   */
  readonly unused: () => Promise<void> | null;
};

/**
 * Holds tool calls to what governs their agent. A call that needs a person passes on an approval of exactly this call,
 * which is then used; else it is answered with what it waits for.
 */
export class ToolApprovalGate {
  constructor(
    private readonly holds: Holds,
    /** What the approved definition of a tool of the user's says of its effect; null for a tool that has none. */
    private readonly hintsOf: (userId: string, tool: string) => EffectHints | null,
  ) {}

  /** Whether a person has to approve the call. Throws `content_filter` for what is blocked. */
  needOf(call: GuardedCall, answered: AnsweredCall, stage: Stage): Need | null {
    return needOf(call, answered, stage, () => this.hintsOf(call.context.caller.user.id, answered.tool));
  }

  /** Of a whole answer. Throws `content_filter`. Of several calls that need a person all pass, or none is used up. */
  async check(call: GuardedCall, caller: TokenPrincipal, answered: readonly AnsweredCall[]): Promise<void> {
    const needed = this.neededOf(call, answered);
    if (needed.length > 1 && caller.agent) {
      const approvals = await this.holds.approvedFor(caller.agent.id);
      const unmet = needed.filter(({ tool, arguments: given }) => !approvals.has(tool, given));
      if (unmet.length > 0) await this.assertAllApproved(call.record, caller, unmet);
    }
    await this.assertAllApproved(call.record, caller, needed);
  }

  /** The same for a stream, which cannot wait: the approvals there are, are asked for before it begins. */
  async forStream(call: GuardedCall, caller: TokenPrincipal, agentId: string): Promise<StreamApprovals> {
    const approvals = await this.holds.approvedFor(agentId);
    let unused: Promise<void> | null = null;
    return {
      // Which tool it means is known once its arguments are.
      begun: (answered) => {
        if (!isCallTool(answered.tool)) refuseTool(call, answered);
      },
      complete: (answered) => {
        const needed = this.neededOf(call, answered);
        const unmet = needed.filter(({ tool, arguments: given }) => !approvals.has(tool, given));
        if (unmet.length > 0) throw new HoldNeeded(unmet);
        for (const each of needed) {
          if (!approvals.use(each.tool, each.arguments)) throw new HoldNeeded([each]);
          // Used before the call leaves: a client that then goes away has it all the same.
          const use = this.assertApproved(call.record, caller, each, "output");
          const all: Promise<void> = Promise.all([unused, use]).then(() => {
            if (unused === all) unused = null;
          });
          // The end of the stream awaits `unused` and gets the fault; until then it must not count as unhandled.
          all.catch(() => undefined);
          unused = all;
        }
      },
      onHold: (needed) =>
        this.assertAllApproved(call.record, caller, needed).then(
          () => new Error("approved while the answer was on its way"),
          (error: unknown) => error,
        ),
      unused: () => unused,
    };
  }

  /** Throws `content_filter` with `action: "hold"` unless a person has approved exactly this call. */
  async assertApproved(
    record: CallRecord,
    { user, agent, token }: TokenPrincipal,
    needed: Needed,
    stage: "input" | "output",
  ): Promise<void> {
    if (!agent) return;
    const { tool, arguments: given, cause, layer, param } = needed;
    const whose = { agent_id: agent.id, user_id: user.id, token_id: token.id, event_id: record.claimEvent() };
    const decision = await this.holds.check({ ...whose, tool, arguments: given, cause, layer });
    if (decision === "passes") return;
    const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
    const finding = { type: cause, ...place, action: "block", layer, rule: cause } as const;
    record.add([finding], { param, origin: stage === "input" ? "tool_args" : "output" });
    throw heldError(needed, decision.held, stage);
  }

  /** Those that need a person. Throws `content_filter` for what may not be called at all. */
  private neededOf(call: GuardedCall, said: readonly AnsweredCall[]): Needed[] {
    const answered = said.map(meantCall);
    for (const each of answered) refuseTool(call, each);
    return answered.flatMap((each) => {
      const need = this.needOf(call, each, "output");
      return need ? [{ ...each, ...need }] : [];
    });
  }

  /** Asks for each, so that people see all of them at once; throws what the first is held with. */
  private async assertAllApproved(
    record: CallRecord,
    caller: TokenPrincipal,
    needed: readonly Needed[],
  ): Promise<void> {
    let held: unknown = null;
    for (const each of needed) {
      try {
        await this.assertApproved(record, caller, each, "output");
      } catch (error) {
        held ??= error;
      }
    }
    if (held !== null) throw held;
  }
}
