import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { isLongJson } from "#core/json/json-size";
import { noteTools, refuseTool } from "#guard/answered-calls";
import { deniedBy, outcomeOf } from "#guard/call-outcome";
import { callerTraceIn } from "#guard/call-trace";
import type { ConversationMemory } from "#guard/conversations";
import { firstEnforcedDenial } from "#guard/denials";
import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import type { CallLimiter } from "#guard/limits/limiter";
import { isLong, unitsOf } from "#guard/long-scan";
import type { RecentValues } from "#guard/recent-values";
import type { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import { isCallTool } from "#model/tools/own-tools";
import { verdictKindOf } from "#model/verdict";
import { slices } from "#platform/slices";
import { actWords, type LocalDenial } from "#policy/profile/local-acts";
import type { ProfileHooks } from "#policy/profile/local-rules";
import { holdingOf, humansNeeded, modelDenials, toolDenials } from "#policy/profile/permits";
import { chainOf, Provenance } from "#policy/provenance/provenance";
import { type Slot, type Texts, walkSliced } from "#scan/texts/text-walk";
import type { Frame, Verdict, VerdictAdapter } from "./frame";
import { localGate } from "./local-gate";

type JudgeNeeds = {
  readonly guard: GuardNeeds;
  readonly limiter: CallLimiter;
  readonly toolApprovals: ToolApprovalGate;
  readonly conversations: ConversationMemory;
  readonly recentValues: RecentValues;
  readonly publicUrl: () => string;
  readonly limits: { readonly jsonDepth: number };
};

/** Whether texts were changed, and what the agent's user is asked about. */
type Passed = { readonly isChanged: boolean; readonly asked: LocalDenial | null };

/** A request for a verdict, as it came in. */
export type VerdictRequest = {
  readonly id: string;
  /** Parses and checks the body; throws `invalid_json`, `invalid_value`, `request_too_large`, `client_closed`. */
  readonly body: () => JsonRecord | Promise<JsonRecord>;
  readonly header: (name: string) => string | null;
  readonly signal: AbortSignal;
  /** Present where what goes wrong is a verdict, too. */
  readonly terms?: VerdictTerms;
};

/** What is agreed with a system that takes every error for a fault of the hub's. */
export type VerdictTerms = {
  /** Why the caller gets nothing but denials; null for nothing. */
  readonly refusal: GuardError | null;
  /** Aborts, with a `GuardError`, when the system will not wait any longer. */
  readonly deadline: AbortSignal;
  /** What becomes of a text that would be redacted where nothing can be put in its place. */
  readonly redact: "deny" | "allow";
  /** Told where a call passes because time ran out before it was looked at. */
  readonly onUnscanned: () => void;
};

/** Refusals that are the verdict; whatever else goes wrong is an error, and the system decides what that means. */
const DENIALS: ReadonlySet<string> = new Set([
  "content_filter",
  "model_not_allowed",
  "tool_not_allowed",
  "agent_suspended",
  "killed",
  "rate_limit_exceeded",
  "insufficient_quota",
]);

/** What ends a call without a verdict, whatever was agreed: nothing is answered that is not on record. */
const FAULTS: ReadonlySet<string> = new Set(["audit_unavailable", "shutting_down", "client_closed"]);

const CHARS_A_TOKEN = 4;

/** Judges what passes elsewhere as the hub's own calls are judged: policy, profile, limits, people, record. */
export class VerdictJudge {
  constructor(private readonly deps: JudgeNeeds) {}

  /** The system's answer, once the record is on disk. Everything thrown is a `GuardError`. */
  async judge(caller: TokenPrincipal, adapter: VerdictAdapter, request: VerdictRequest): Promise<JsonRecord> {
    const { guard } = this.deps;
    guard.auditor.assertAcceptingWork();
    const begun = { caller, kind: verdictKindOf(adapter.system), id: request.id };
    const call = beginCall(guard, begun, () => callerTraceIn(request.header));
    const { context, record, gate } = call;
    context.toolInput = adapter.toolInput;
    const { terms } = request;
    context.signal = () => (terms ? AbortSignal.any([request.signal, terms.deadline]) : request.signal);
    let body: JsonRecord = {};
    let mayPassUnscanned = false;
    try {
      // First of all: how a denial is worded depends on what was asked.
      body = await request.body();
      if (terms?.refusal) throw terms.refusal;
      gate.assertNotStopped();
      const frame = adapter.frameOf(body, this.deps.limits.jsonDepth);
      mayPassUnscanned = await this.named(call, caller, frame);
      const passed = await this.pass(call, caller, frame, terms);
      // What may pass counts against the agent's limits.
      record.markForwarded();
      await record.finish("answered", 200);
      return adapter.answerOf(this.allowed(call, passed), body);
    } catch (thrown) {
      const isLate = terms?.deadline.aborted === true && thrown === terms.deadline.reason;
      const isUnscanned = isLate && mayPassUnscanned && context.rules.effective.fail_mode.value === "open";
      const error = isUnscanned ? gate.stopped() : thrown;
      if (error === null) {
        terms?.onUnscanned();
        record.coverage.gap("input", "body", "timeout");
        record.markForwarded();
        await record.finish("answered", 200);
        return adapter.answerOf(this.allowed(call, { isChanged: false, asked: null }), body);
      }
      if (!(error instanceof GuardError) || !isVerdict(error, terms)) throw await record.fail(endOf(error, request));
      const denial = deniedBy(error);
      if (denial) record.deny(denial);
      await record.finish(outcomeOf(error), 200, error.code);
      return adapter.answerOf(this.denied(call, error), body);
    }
  }

  /**
   * Judges what it names: the model, and the tools of its calls. Whether it may pass without more where time runs out: not
   * what a person has to approve, what is done on a machine, or a call whose tool its arguments name. Throws what denies it.
   */
  private async named(call: GuardedCall, { agent }: TokenPrincipal, frame: Frame): Promise<boolean> {
    const { context, gate } = call;
    gate.judgeTrace();
    const scannedModel = this.nameModel(call, frame);
    if (scannedModel) await scannedModel;
    // Now that its model is known.
    gate.assertNotStopped();
    if (!agent || !frame.tools) return !frame.acts?.length;
    const { effective } = context.rules;
    const pause = slices.begin();
    let isFree = !frame.acts?.length;
    for (const named of await frame.tools(pause)) {
      const isMeant = !isCallTool(named.tool);
      const denial = isMeant ? holdingOf(effective, toolDenials(effective, named.tool)) : null;
      // Noted as where the call is judged with its arguments.
      if (denial) refuseTool(call, named);
      isFree &&= isMeant && holdingOf(effective, humansNeeded(effective, named.tool)) === null;
      const wait = pause();
      if (wait) await wait;
    }
    return isFree;
  }

  /** How it passes. Throws what denies it. */
  private async pass(
    call: GuardedCall,
    caller: TokenPrincipal,
    frame: Frame,
    terms: VerdictTerms | undefined,
  ): Promise<Passed> {
    const { context, gate } = call;
    const attached = gate.attachConversation(frame.conversation);
    if (attached) await attached;
    const walking: Walking = {
      most: context.policy.source.max_text,
      redact: terms?.redact ?? context.rules.effective.hooks.value.redact,
      deadline: terms?.deadline,
    };
    const texts = await walked(frame, walking);
    await this.reserve(call, caller, frame, texts);
    if (frame.context) {
      const said = await walked({ ...frame, stage: "input", walk: frame.context }, walking);
      await gate.scan(said, "input");
      terms?.deadline.throwIfAborted();
    }
    const isChanged = await this.scan(call, caller, frame, texts);
    terms?.deadline.throwIfAborted();
    const calls = await frame.calls();
    noteTools(context, calls);
    const asked = await this.askedOf(call, frame, calls);
    if (caller.agent) await this.deps.toolApprovals.check(call, caller, calls);
    return { isChanged, asked };
  }

  /** What the agent's user is asked about; null for nothing. Throws `content_filter`. */
  private async askedOf(
    call: GuardedCall,
    { acts = [] }: Frame,
    calls: readonly AnsweredCall[],
  ): Promise<LocalDenial | null> {
    let asked: LocalDenial | null = null;
    for (const one of acts) {
      const text = calls.find(({ param }) => param === one.param)?.arguments ?? calls[0]?.arguments ?? "";
      asked = (await localGate(call, one, text)) ?? asked;
    }
    return asked;
  }

  /**
   * What is on its way to a model is remembered of its conversation once it may pass; what comes from one is held against
   * what was.
   */
  private async scan(call: GuardedCall, caller: TokenPrincipal, frame: Frame, texts: Texts): Promise<boolean> {
    const { context, gate } = call;
    const { conversation, rules } = context;
    const { conversations, recentValues } = this.deps;
    const who = { caller, rules };
    const talk = caller.agent && conversation !== null ? { ...who, conversation } : null;
    const isLongCall = isLong(texts.slots) || isLongJson(frame.speech?.turns);
    context.provenance = Provenance.of(frame.speech, this.deps.limits.jsonDepth, isLongCall);
    if (caller.agent && frame.stage === "output") {
      const own = talk === null ? null : conversations.indexOf(talk);
      context.origins = chainOf(await Promise.all([own, recentValues.originsOf(who)]));
    }
    const isChanged = await gate.scan(texts, frame.stage);
    if (!caller.agent || frame.speech === null) return isChanged;
    const heard = talk === null ? null : conversations.hearSpeech(talk, frame.speech, slices.begin());
    await Promise.all([heard, recentValues.hearSpeech(who, frame.speech, slices.begin())]);
    await Promise.all([talk === null ? null : conversations.told(talk), recentValues.told(who)]);
    return isChanged;
  }

  /** The record repeats the model's name, so it is judged first. Throws `content_filter` and `model_not_allowed`. */
  private nameModel({ context, gate, record }: GuardedCall, { model }: Frame): Promise<void> | undefined {
    if (model === "") return undefined;
    const named = () => {
      context.model = model;
      const denials = modelDenials(context.rules.effective, model);
      const denial = firstEnforcedDenial(record, denials, "policy.model", "model");
      if (denial === null) return;
      const { layer, rule } = denial;
      throw new GuardError("model_not_allowed", `This agent may not use this model (${layer}, ${rule}).`, {
        param: "model",
        extra: { guard: { layer, rule } },
      });
    };
    const slot: Slot = { param: "model", origin: "user", text: model, isAllOrNothing: true, replace: unchanged };
    const scanned = gate.scan({ slots: [slot], gaps: [] }, "input");
    if (typeof scanned !== "boolean") return scanned.then(named);
    named();
    return undefined;
  }

  /** What comes from a model was counted when it was asked. Throws `rate_limit_exceeded`, `insufficient_quota`. */
  private async reserve(
    { context, record }: GuardedCall,
    { agent }: TokenPrincipal,
    { stage }: Frame,
    { slots }: Texts,
  ): Promise<void> {
    if (!agent || stage === "output") return;
    const { limits, watched_limits } = context.rules.effective;
    context.reservation = await this.deps.limiter.reserve({
      agent_id: agent.id,
      limits,
      watched: watched_limits,
      tokens: Math.ceil(unitsOf(slots) / CHARS_A_TOKEN),
      conversation: context.conversation === null ? null : { of: "models", id: context.conversation },
    });
    for (const denial of context.reservation.watched) record.watches(denial, "policy.limit", "usage");
  }

  private allowed(call: GuardedCall, { isChanged, asked }: Passed): Verdict {
    const place = this.placeOf(call);
    if (asked) return { decision: "ask", reason: `${actWords(asked)} ${place.url}`, isHeld: false, ...place };
    return { decision: isChanged ? "changed" : "allow", reason: "", isHeld: false, ...place };
  }

  private denied(call: GuardedCall, error: GuardError): Verdict {
    const place = this.placeOf(call);
    const isHeld = error.headers?.["x-guard-action"] === "hold";
    return { decision: "deny", reason: reasonOf(error, place.url), isHeld, ...place };
  }

  private placeOf({ context, record }: GuardedCall): Pick<Verdict, "url" | "eventId"> {
    return { url: `${this.deps.publicUrl()}/calls/${context.id}`, eventId: record.eventId };
  }
}

/** What is cut off because nobody waits any more is no fault. */
const endOf = (error: unknown, { signal }: VerdictRequest): unknown =>
  signal.aborted && !(error instanceof GuardError)
    ? new GuardError("client_closed", "The caller has hung up.", { cause: error })
    : error;

const isVerdict = ({ code }: GuardError, terms: VerdictTerms | undefined): boolean =>
  terms ? !FAULTS.has(code) : DENIALS.has(code);

/** `most`: units of one text that are scanned. `redact`: whether what cannot be redacted is denied or passes. */
type Walking = {
  readonly most: number;
  readonly redact: ProfileHooks["redact"];
  readonly deadline: AbortSignal | undefined;
};

/**
 * Its texts. Those that the system takes no other text for pass as they are or, where `redact` denies it, not at all.
 * Throws `invalid_value`.
 */
const walked = async (
  { walk, stage, isReplaceable, isReplaced }: Pick<Frame, "walk" | "stage" | "isReplaceable" | "isReplaced">,
  { most, redact, deadline }: Walking,
): Promise<Texts> => {
  const texts = await walkSliced(walk, () => {
    deadline?.throwIfAborted();
    return slices.turn();
  });
  const slots: Slot[] = [];
  const pause = slices.begin();
  for (const slot of texts.slots) {
    if (slot.text.length > most) throw tooLong(most);
    slots.push(isReplaceable(slot.param) ? slot : irreplaceable(slot, redact));
    const wait = pause();
    if (wait) await wait;
  }
  if (texts.gaps.some(({ reason }) => reason === "too_deep")) {
    throw new GuardError("invalid_value", "The body is nested too deep to be read.");
  }
  // Of two values of one name only one was read, and the system may act by the other.
  if (walk.isRewritten && !isReplaced) throw namedTwice(stage);
  return {
    slots,
    gaps: texts.gaps,
    isRewritten: walk.isRewritten,
    settleSliced: (pause) => walk.settleSliced(pause),
    settle: () => walk.settle(),
  };
};

const irreplaceable = ({ param, origin, text, field }: Slot, redact: ProfileHooks["redact"]): Slot => ({
  param,
  origin,
  text,
  ...(field !== undefined && { field }),
  ...(redact === "deny" ? { isAllOrNothing: true } : { isFixed: true }),
  replace: unchanged,
});

const unchanged = (): void => {};

const tooLong = (most: number): GuardError =>
  new GuardError("invalid_value", `A text in it is longer than ${most} characters. Operators raise limits.body_bytes.`);

const namedTwice = (stage: Stage): GuardError =>
  new GuardError("content_filter", "JSON in it has one name twice, so that readers need not agree on what it says.", {
    extra: { guard: { stage, action: "block", layer: "hub", rule: "json.named_twice" } },
  });

/** For a person who may never have heard of the hub; nothing of what was sent is in it. */
const reasonOf = (error: GuardError, url: string): string => {
  const guard = error.extra?.["guard"];
  const flags = typeof guard === "object" && guard !== null && "flags" in guard ? guard.flags : null;
  const types = Array.isArray(flags) ? flags.map((flag: { readonly type: string }) => flag.type).join(", ") : "";
  if (types === "" || error.headers?.["x-guard-action"] === "hold") return `${error.message} ${url}`;
  return `Blocked by your organization's guard: ${types}. Remove it and try again. If the block is wrong, dispute it: ${url}`;
};
