import type { Caller } from "#core/caller";
import { jsonText } from "#core/json-writer";
import type { CallToolResult, Unchecked } from "#core/mcp-types";
import { toolDenials } from "#core/profile/permits";
import type { Slot } from "#core/text-walk";
import type { Conversations } from "#engine/conversations";
import { needOf } from "#engine/governance/answered-calls";
import type { CallJudge } from "#engine/governance/call-judge";
import { heldBy } from "#engine/governance/denials";
import type { Limiter } from "#engine/governance/limiter";
import type { GuardedCall } from "#engine/guarded-call";
import { isLong } from "#engine/long-scan";
import type { CallParams } from "#modules/tools/params";
import { slices } from "#platform/slices";

type Deps = { readonly limiter: Limiter; readonly calls: CallJudge; readonly conversations: Conversations };

/** What governs one call through the tool gateway beside what its texts say: limits, provenance, people. */
export class GovernedToolCall {
  constructor(
    private readonly call: GuardedCall,
    private readonly caller: Caller,
    private readonly params: CallParams,
    private readonly deps: Deps,
  ) {}

  /** Takes the call's place within the agent's limits. Throws `rate_limit_exceeded` and `insufficient_quota`. */
  reserve(): void {
    const { agent } = this.caller;
    if (!agent) return;
    const { call, params } = this;
    const { effective } = call.rules;
    // What holds has hidden the tool; this puts on record what is only watched.
    heldBy(call, toolDenials(effective, params.name), "policy.tool", "params.name");
    call.reservation = this.deps.limiter.reserve({
      agent_id: agent.id,
      limits: effective.limits,
      watched: effective.watched_limits,
      tokens: 0,
      conversation: call.conversation === null ? null : { of: "tools", id: call.conversation },
    });
    for (const denial of call.reservation.watched) call.watches(denial, "policy.limit", "usage");
  }

  /**
   * Once its arguments were scanned: whether their values came from tools, and whether a person has to approve the call.
   * Throws `content_filter`.
   */
  async mustPass(): Promise<void> {
    const { call, caller, params } = this;
    const known = call.conversation === null ? null : this.deps.conversations.indexOf(caller, call.conversation);
    const index = known instanceof Promise ? await known : known;
    if (index) call.trace(index, params.texts.slots);
    if (!caller.agent) return;
    const written = jsonText(params.arguments, () => slices.turn());
    const text = typeof written === "string" ? written : await written;
    const answered = { param: "arguments", tool: params.name, arguments: text };
    const need = needOf(call, answered);
    if (need) await this.deps.calls.mustPass(call, caller, { ...answered, ...need }, "input");
  }

  /** Whether what the tool said is remembered. */
  isHeard(result: Unchecked<CallToolResult>): boolean {
    return this.call.conversation !== null && result.isError !== true;
  }

  /** Remembers what the tool said, as the caller is shown it. */
  heard(slots: readonly Slot[]): Promise<void> | undefined {
    const { caller, params } = this;
    const { conversation } = this.call;
    if (conversation === null) return undefined;
    const texts = slots.map(({ text }) => text);
    const pause = isLong(slots) ? slices.begin() : null;
    return this.deps.conversations.hearResult(caller, conversation, params.name, texts, pause);
  }
}
