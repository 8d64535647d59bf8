import { jsonText } from "#core/json/json-writer";
import type { CallParams } from "#features/tools/params";
import type { ConversationMemory, Talk } from "#guard/conversations";
import { firstEnforcedDenial } from "#guard/denials";
import { type ApprovedCall, hashOfCall } from "#guard/enforcement/holds";
import type { GuardedCall } from "#guard/guarded-call";
import type { CallLimiter } from "#guard/limits/limiter";
import { isLong } from "#guard/long-scan";
import type { Follower, RecentValues } from "#guard/recent-values";
import type { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { TokenPrincipal } from "#model/principal";
import type { CallToolResult, Unchecked } from "#model/tools/mcp-types";
import { identityOf, type ToolPin } from "#model/tools/tool";
import { type Pause, slices } from "#platform/slices";
import { type Denial, toolDenials } from "#policy/profile/permits";
import { chainOf } from "#policy/provenance/provenance";
import type { Slot } from "#scan/texts/text-walk";

type GovernedToolCallNeeds = {
  readonly limiter: CallLimiter;
  readonly toolApprovals: ToolApprovalGate;
  readonly conversations: ConversationMemory;
  readonly recentValues: RecentValues;
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
   * `pin`: of the tool; null for what is none. `before`: the hash of the call that a person approved before its server
   * asked the user something. Returns the hash of this call where a person had to approve it. Throws `content_filter`.
   */
  async assertApproved(pin: ToolPin | null, before: string | null): Promise<string | null> {
    const { call, caller, params } = this;
    // What only reads is approved by nobody, and reads what links in results name.
    if (pin === null) return null;
    const written = caller.agent ? jsonText(params.arguments, () => slices.turn()) : "";
    const text = typeof written === "string" ? written : await written;
    const identity = { tool: params.name, pin: identityOf(pin), arguments: text };
    await this.trace(identity);
    if (!caller.agent) return null;
    const answered = { param: "arguments", tool: params.name, arguments: text };
    const need = this.deps.toolApprovals.needOf(call, answered, "input");
    if (!need) return null;
    const hash = hashOfCall(identity);
    if (hash === before) return hash;
    const needed = { ...answered, ...need, pin: identity.pin };
    await this.deps.toolApprovals.assertApproved(call.record, caller, needed, "input");
    return hash;
  }

  /** Looks for where its values come from: in its conversation, and in others of its agent. */
  private async trace(identity: ApprovedCall): Promise<void> {
    const { call, params, who, talk } = this;
    const { conversations, recentValues } = this.deps;
    const known = talk === null ? null : conversations.indexOf(talk);
    const met = recentValues.originsOf(who);
    const isKnown = !(known instanceof Promise || met instanceof Promise);
    const [own, recent] = isKnown ? [known, met] : await Promise.all([known, met]);
    const { slots } = params.texts;
    const origins = chainOf([own, recent?.hasPassed(hashOfCall(identity)) ? null : recent]);
    call.context.origins = origins;
    if (origins) call.gate.trace(origins, slots);
    const given = recentValues.hearTool(who, "model", params.name, textsOf(slots), pauseFor(slots));
    if (given) await given;
  }

  /** Whether what the tool said is remembered. */
  isHeard(result: Unchecked<CallToolResult>): boolean {
    return (this.talk !== null || this.deps.recentValues.follows(this.who)) && result.isError !== true;
  }

  /** Remembers what the tool said, as the caller is shown it. */
  heard(slots: readonly Slot[]): Promise<void> | undefined {
    const { params, talk, who } = this;
    const { conversations, recentValues } = this.deps;
    const texts = textsOf(slots);
    const followed = recentValues.hearTool(who, "tool", params.name, texts, pauseFor(slots));
    const heard = talk === null ? undefined : conversations.hearResult(talk, params.name, texts, pauseFor(slots));
    return followed && heard ? Promise.all([followed, heard]).then(() => undefined) : (followed ?? heard);
  }

  /** Resolves when other processes know what the tool said: the caller may go on at one of them. Null for already. */
  told(): Promise<void> | null {
    const { talk, who } = this;
    const { conversations, recentValues } = this.deps;
    const followed = recentValues.told(who);
    const heard = talk === null ? null : conversations.told(talk);
    return followed && heard ? Promise.all([followed, heard]).then(() => undefined) : (followed ?? heard);
  }

  private get who(): Follower {
    return { caller: this.caller, rules: this.call.context.rules };
  }

  /** The conversation that the call names; null for none. */
  private get talk(): Talk | null {
    const { conversation, rules } = this.call.context;
    return conversation === null ? null : { caller: this.caller, conversation, rules };
  }
}

const textsOf = (slots: readonly Slot[]): string[] => slots.map(({ text }) => text);

const pauseFor = (slots: readonly Slot[]): Pause | null => (isLong(slots) ? slices.begin() : null);
