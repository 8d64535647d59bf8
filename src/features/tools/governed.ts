import { jsonText } from "#core/json/json-writer";
import type { CallParams } from "#features/tools/params";
import type { ConversationMemory, Talk } from "#guard/conversations";
import { firstEnforcedDenial } from "#guard/denials";
import type { GuardedCall } from "#guard/guarded-call";
import type { CallLimiter } from "#guard/limits/limiter";
import { isLong } from "#guard/long-scan";
import type { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { TokenPrincipal } from "#model/principal";
import type { CallToolResult, Unchecked } from "#model/tools/mcp-types";
import { slices } from "#platform/slices";
import { type Denial, toolDenials } from "#policy/profile/permits";
import type { Slot } from "#scan/texts/text-walk";

type GovernedToolCallNeeds = {
  readonly limiter: CallLimiter;
  readonly toolApprovals: ToolApprovalGate;
  readonly conversations: ConversationMemory;
};

/** What is no tool: who says no to it. */
type Offered = { readonly denials: readonly Denial[] };

/** What governs one call through the tool gateway beside what its texts say: limits, provenance, people. */
export class GovernedToolCall {
  constructor(
    private readonly call: GuardedCall,
    private readonly caller: TokenPrincipal,
    private readonly params: CallParams,
    private readonly deps: GovernedToolCallNeeds,
    private readonly offered: Offered | null = null,
  ) {}

  /** Takes the call's place within the agent's limits. Throws `rate_limit_exceeded` and `insufficient_quota`. */
  async reserve(): Promise<void> {
    const { agent } = this.caller;
    if (!agent) return;
    const { params } = this;
    const { context, record } = this.call;
    const { effective } = context.rules;
    // What holds has hidden the tool; this puts on record what is only watched.
    const denials = this.offered?.denials ?? toolDenials(effective, params.name);
    firstEnforcedDenial(record, denials, "policy.tool", "params.name");
    context.reservation = await this.deps.limiter.reserve({
      agent_id: agent.id,
      limits: effective.limits,
      watched: effective.watched_limits,
      tokens: 0,
      conversation: context.conversation === null ? null : { of: "tools", id: context.conversation },
    });
    for (const denial of context.reservation.watched) record.watches(denial, "policy.limit", "usage");
  }

  /**
   * Once its arguments were scanned: whether their values came from tools, and whether a person has to approve the call.
   * Throws `content_filter`.
   */
  async assertApproved(): Promise<void> {
    const { call, caller, params } = this;
    // What only reads is approved by nobody, and reads what links in results name.
    if (this.offered) return;
    const { talk } = this;
    const known = talk === null ? null : this.deps.conversations.indexOf(talk);
    const index = known instanceof Promise ? await known : known;
    if (index) call.gate.trace(index, params.texts.slots);
    if (!caller.agent) return;
    const written = jsonText(params.arguments, () => slices.turn());
    const text = typeof written === "string" ? written : await written;
    const answered = { param: "arguments", tool: params.name, arguments: text };
    const need = this.deps.toolApprovals.needOf(call, answered, "input");
    if (need) await this.deps.toolApprovals.assertApproved(call.record, caller, { ...answered, ...need }, "input");
  }

  /** Whether what the tool said is remembered. */
  isHeard(result: Unchecked<CallToolResult>): boolean {
    return this.call.context.conversation !== null && result.isError !== true;
  }

  /** Remembers what the tool said, as the caller is shown it. */
  heard(slots: readonly Slot[]): Promise<void> | undefined {
    const { params, talk } = this;
    if (talk === null) return undefined;
    const texts = slots.map(({ text }) => text);
    const pause = isLong(slots) ? slices.begin() : null;
    return this.deps.conversations.hearResult(talk, params.name, texts, pause);
  }

  /** Resolves when other processes know what the tool said: the caller may go on at one of them. Null for already. */
  told(): Promise<void> | null {
    const { talk } = this;
    return talk === null ? null : this.deps.conversations.told(talk);
  }

  /** The conversation that the call names; null for none. */
  private get talk(): Talk | null {
    const { conversation, rules } = this.call.context;
    return conversation === null ? null : { caller: this.caller, conversation, rules };
  }
}
