import { isRecord } from "#core/json/json";
import { HoldNeeded, heldError, meantCall, type Need, type Needed, needOf, refuseTool } from "#guard/answered-calls";
import type { CallContext } from "#guard/call-context";
import type { CallRecord } from "#guard/call-record";
import { type Holds, hashOfCall } from "#guard/enforcement/holds";
import type { GuardedCall } from "#guard/guarded-call";
import type { RecentValues } from "#guard/recent-values";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import { CALL_TOOL_DESCRIPTION, isCallTool } from "#model/tools/own-tools";
import { identityOf } from "#model/tools/tool";

/** How a request describes a tool it declares, in any of the APIs. */
const descriptionOf = (definition: unknown): string | null => {
  if (!isRecord(definition)) return null;
  const { description, function: declared, custom } = definition;
  if (typeof description === "string") return description;
  return descriptionOf(declared ?? custom ?? null);
};

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
    private readonly registry: Pick<ToolRegistryCache, "effectHintsOf" | "declaredTool">,
    private readonly recentValues: RecentValues,
  ) {}

  /** Whether a person has to approve the call. Throws `content_filter` for what is blocked. */
  needOf(call: GuardedCall, answered: AnsweredCall, stage: Stage): Need | null {
    return needOf(call, answered, stage, () => this.registry.effectHintsOf(call.context.caller.user.id, answered.tool));
  }

  /** Of a whole answer. Throws `content_filter`. Of several calls that need a person all pass, or none is used up. */
  async check(call: GuardedCall, caller: TokenPrincipal, answered: readonly AnsweredCall[]): Promise<void> {
    const needed = this.neededOf(call, answered);
    if (needed.length > 1 && caller.agent) {
      const approvals = await this.holds.approvedFor(caller.agent.id);
      const unmet = needed.filter((each) => !approvals.has(each));
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
        const unmet = needed.filter((each) => !approvals.has(each));
        if (unmet.length > 0) throw new HoldNeeded(unmet);
        for (const each of needed) {
          if (!approvals.use(each)) throw new HoldNeeded([each]);
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
    const { tool, pin, arguments: given, cause, layer, param } = needed;
    const whose = { agent_id: agent.id, user_id: user.id, token_id: token.id, event_id: record.claimEvent() };
    const at = stage === "input" ? "gateway" : "answer";
    const decision = await this.holds.check({ ...whose, tool, pin, arguments: given, cause, layer, at });
    if (decision === "passes") return;
    const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
    const finding = { type: cause, ...place, action: "block", layer, rule: cause } as const;
    record.add([finding], { param, origin: stage === "input" ? "tool_args" : "output" });
    throw heldError(needed, decision.held, stage);
  }

  /** Those that need a person. Throws `content_filter` for what may not be called at all. */
  private neededOf(call: GuardedCall, said: readonly AnsweredCall[]): Needed[] {
    const answered = said.map((each) => [meantCall(each), each] as const);
    for (const [meant] of answered) refuseTool(call, meant);
    return answered.flatMap(([meant, each]) => {
      const need = this.needOf(call, meant, "output");
      if (need) return [{ ...this.identified(call.context, meant, each.tool), ...need }];
      this.passes(call, meant, each.tool);
      return [];
    });
  }

  /** Remembers that the call was judged, for the gateway. */
  private passes({ context }: GuardedCall, meant: AnsweredCall, called: string): void {
    const { caller, rules } = context;
    if (!this.recentValues.follows({ caller, rules })) return;
    const identified = this.identified(context, meant, called);
    if (identified.pin !== null) this.recentValues.pass({ caller, rules }, hashOfCall(identified));
  }

  /**
   * Which tool an answer's call means. Of the gateway it is only where the request declares it with the gateway's own
   * description: an approval of a client's function that merely has its name is none at the gateway.
   */
  private identified(
    context: CallContext,
    meant: AnsweredCall,
    called: string,
  ): AnsweredCall & { readonly pin: string | null } {
    const userId = context.caller.user.id;
    for (const definition of context.definitions().get(called) ?? []) {
      const description = descriptionOf(definition);
      if (description === null) continue;
      const pin = isCallTool(called)
        ? description.trim() === CALL_TOOL_DESCRIPTION && this.registry.declaredTool(userId, meant.tool, null)
        : this.registry.declaredTool(userId, meant.tool, description);
      if (pin) return { ...meant, tool: pin.name, pin: identityOf(pin) };
    }
    return { ...meant, pin: null };
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
