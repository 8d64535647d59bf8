import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { parseExact } from "#core/json/json-reader";
import type { CallContext } from "#guard/call-context";
import { firstEnforcedDenial } from "#guard/denials";
import type { GuardedCall } from "#guard/guarded-call";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { Hold } from "#model/hold";
import { isCallTool } from "#model/tools/own-tools";
import type { Effective } from "#policy/profile/effective";
import { acts, actsAs, type Denial, type EffectHints, humansNeeded, toolDenials } from "#policy/profile/permits";
import { ORDER_SCORE } from "#policy/provenance/orders";
import type { Tainted } from "#policy/provenance/provenance";
import type { ValueKind } from "#policy/provenance/provenance-values";
import type { Judged } from "#scan/scan";

/** Why a person has to approve a tool call. */
export type Need = { readonly cause: "human_approval" | "tool.tainted_argument"; readonly layer: string };

/** A tool call that a person has to approve first. */
export type Needed = AnsweredCall & Need & { readonly pin: string | null };

/** Thrown where waiting is impossible: the code that ends the call requests the hold and answers with it. */
export class HoldNeeded extends Error {
  override readonly name = "HoldNeeded";
  constructor(readonly needed: readonly Needed[]) {
    super("a person has to approve these calls");
  }
}

/** Of one answer. */
const MAX_NOTED_TOOLS = 100;

/**
 * The call that a tool call means: `guardhouse__call_tool` calls the tool its arguments name, and what governs that one
 * governs it. Arguments that name none leave it the call it is.
 */
export const meantCall = (answered: AnsweredCall): AnsweredCall => {
  if (!isCallTool(answered.tool)) return answered;
  const given = parseExact(answered.arguments);
  if (!isRecord(given) || typeof given["name"] !== "string") return answered;
  const { param } = answered;
  return { param, tool: given["name"], arguments: JSON.stringify(given["arguments"] ?? {}) };
};

/** Which tools an answer calls is a fact of its call. */
export const noteTools = (context: CallContext, answered: readonly AnsweredCall[]): void => {
  const calls = answered.map(meantCall);
  context.toolCalls += calls.length;
  for (const { tool } of calls.slice(0, MAX_NOTED_TOOLS - context.toolsCalled.length)) context.toolsCalled.push(tool);
};

/** Throws `content_filter` for a tool the agent may not use. */
export const refuseTool = (call: GuardedCall, { param, tool }: Pick<AnsweredCall, "param" | "tool">): void => {
  const denial = firstEnforcedDenial(
    call.record,
    toolDenials(call.context.rules.effective, tool),
    "tool.not_allowed",
    param,
    "output",
  );
  if (denial) throw blockedBy(call, param, denial, "tool.not_allowed");
};

/**
 * Whether a person has to approve the call: because a layer wants one for each call of the tool, or because a tool that
 * acts is given values that only another tool's result had. `stage`: whether the call stands in an answer. `hints`: what
 * the tool's definition says of itself. Throws `content_filter` where the latter is blocked.
 */
export const needOf = (
  call: GuardedCall,
  answered: AnsweredCall,
  stage: Stage,
  hints: () => EffectHints | null,
): Need | null => {
  const { effective } = call.context.rules;
  const human = firstEnforcedDenial(
    call.record,
    humansNeeded(effective, answered.tool),
    "policy.human_approval",
    answered.param,
    stage,
  );
  if (human) return { cause: "human_approval", layer: human.layer };
  const { layer, value } = effective.tainted_arguments;
  if (value !== "block" && value !== "hold") return null;
  const rules = effective.tainted_values?.value;
  const isHeld =
    isTainted(effective, answered.tool, call.gate.taintIn(answered.param), hints) ||
    (rules !== undefined &&
      rules.from <= ORDER_SCORE &&
      actsAs(effective.effects, answered.tool, hints()) &&
      call.gate.isOrdered(answered, stage));
  if (!isHeld) return null;
  const denial = { layer, rule: "tools.tainted_arguments" };
  if (call.record.watches(denial, "tool.tainted_argument", answered.param, stage)) return null;
  if (value === "block") {
    call.record.content.withhold("output", { param: answered.param, origin: "tool_args", text: answered.arguments });
    throw blockedBy(call, answered.param, denial, "tool.tainted_argument");
  }
  return { cause: "tool.tainted_argument", layer };
};

/** What was not followed when profiles without rules about values were approved: they hold what they held. */
const LATER_KINDS: ReadonlySet<ValueKind> = new Set(["command", "dangerous_command", "package"]);

/** Whether of the values that only a tool has said one counts at this tool. */
const isTainted = (
  { effects, tainted_values: rules }: Pick<Effective, "effects" | "tainted_values">,
  tool: string,
  values: readonly Tainted[],
  hints: () => EffectHints | null,
): boolean => {
  if (values.length === 0) return false;
  if (rules === null) return values.some(({ kind }) => !LATER_KINDS.has(kind)) && acts(effects, tool);
  const { from, reading_tools } = rules.value;
  const counted = values.filter(({ score }) => score >= from);
  // What is added to a URL of somebody else's goes to them with the request.
  if (reading_tools && counted.some(({ kind }) => kind === "url_with_data")) return true;
  return counted.length > 0 && actsAs(effects, tool, hints());
};

const blockedBy = (call: GuardedCall, param: string, denial: Denial, type: string): GuardError => {
  const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
  const finding: Judged = { type, ...place, action: "block", ...denial };
  call.record.add([finding], { param, origin: "output" });
  return call.gate.blocked("output", param, [finding]);
};

/** What a held call is answered with: what a model or its agent can act on. */
export const heldError = (needed: Needed, hold: Hold, stage: "input" | "output"): GuardError => {
  const { id, state, expires_at } = hold;
  const until = new Date(expires_at).toISOString();
  const advice =
    state === "denied"
      ? `A person has denied it (hold ${id}). Do not try again.`
      : `It waits for a person until ${until} (hold ${id}). Once approved, the same call passes: make it again, unchanged.`;
  return new GuardError("content_filter", `The call of ${needed.tool} was held. ${advice}`, {
    param: needed.param,
    extra: {
      event_id: hold.event_id,
      guard: {
        stage,
        action: "hold",
        flags: [{ type: needed.cause, score: 1 }],
        layer: needed.layer,
        rule: needed.cause,
        hold_id: id,
        hold_state: state,
        hold_expires_at: until,
      },
    },
    headers: { "x-guard-action": "hold", "x-guard-event-id": hold.event_id },
  });
};
