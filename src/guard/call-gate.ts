import type { GuardError } from "#core/errors";
import { type CallContext, recordedConversation } from "#guard/call-context";
import { accessEnded, blockError, notScanned } from "#guard/call-errors";
import type { CallRecord } from "#guard/call-record";
import { asEarlier, EnforcedFindings } from "#guard/earlier-decisions";
import { BlockingFindings, batchesOf, chained } from "#guard/finding-batches";
import type { GuardNeeds } from "#guard/guard-needs";
import { Judging } from "#guard/judging";
import { isLong, type LongScan, scanLong } from "#guard/long-scan";
import { RepeatedTexts } from "#guard/repeated-texts";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { Principal } from "#model/principal";
import { causeOf } from "#platform/log";
import { type Pause, slices } from "#platform/slices";
import { givenIn, ORDER_SCORE } from "#policy/provenance/orders";
import { chainOf, type Origins, TAINTED, type Tainted, taintedIn } from "#policy/provenance/provenance";
import type { Action } from "#scan/detector";
import type { Labels } from "#scan/label";
import { type AnyScan, countOf, findingsOf, unpackInSlices } from "#scan/packed-scan";
import { type Judged, redactInSlices, redactText, type Scan, strictest } from "#scan/scan";
import { isEnvelope, type Slot, type Texts } from "#scan/texts/text-walk";

type GateNeeds = Pick<
  GuardNeeds,
  "scanner" | "log" | "policyResolver" | "labelsOf" | "earlierDecisions" | "reportsLeft" | "isStillAuthorized"
>;

type Probed = Pick<Slot, "text" | "origin" | "param">;

/** Who takes turns with others where something is scarce: each token, and each person at the dashboard. */
const turnOf = ({ token, user }: Principal): string => (token === null ? `user ${user.id}` : `token ${token.id}`);

/** Where nothing may be put in a text's place, what would be redacted is reported. */
const flagged = (finding: Judged): Judged => (finding.action === "redact" ? { ...finding, action: "flag" } : finding);

/** Where nothing may be put in a text's place and it may not pass as it is, what would be redacted blocks. */
const refused = (finding: Judged): Judged => (finding.action === "redact" ? { ...finding, action: "block" } : finding);

const ofSlot = ({ isFixed, isAllOrNothing }: Slot, findings: readonly Judged[]): readonly Judged[] => {
  if (isFixed) return findings.map(flagged);
  return isAllOrNothing ? findings.map(refused) : findings;
};

/** Whether what was redacted of a text earlier says nothing of it now. */
const isDecidedAnew = ({ isFixed, isAllOrNothing }: Slot): boolean => isFixed === true || isAllOrNothing === true;

/**
 * Decides about one guarded call: whether it may go on, and what of its texts passes, is redacted or blocks it. Short
 * texts are scanned where they are and at once, long ones in the scan pool; the outcome is the same. What it finds goes
 * into the call's record.
 */
export class CallGate {
  private readonly tainted: { readonly param: string; readonly values: readonly Tainted[] }[] = [];
  private made: Labels | null = null;
  private readonly repeats = new RepeatedTexts();

  constructor(
    private readonly deps: GateNeeds,
    private readonly context: CallContext,
    private readonly record: CallRecord,
  ) {}

  /** Throws what forbids this call: `agent_suspended`, `killed`, and what kept its rules from being known. */
  assertNotStopped(): void {
    const { context } = this;
    if (context.refusal !== null) throw context.refusal;
    this.deps.policyResolver.assertNotStopped(context.subject);
  }

  /** What has come up meanwhile that ends this call; null for nothing. */
  stopped(): GuardError | null {
    const { subject, caller, startedAt } = this.context;
    const stop = this.deps.policyResolver.stopOf(subject);
    if (stop) return stop;
    return this.deps.isStillAuthorized?.(caller, startedAt) === false ? accessEnded() : null;
  }

  /** The caller's own: made at the first redaction, since few calls have any. */
  get labels(): Labels {
    this.made ??= this.deps.labelsOf(this.context.caller);
    return this.made;
  }

  /**
   * Scans every slot and puts redactions in place; true when anything was changed. Long texts take their time: then a
   * promise of the same.
   * Throws `content_filter` for a block, `guard_unavailable` when the scanner fails: a text that could not be
   * judged is never passed on; `rate_limit_exceeded` when too many long texts wait.
   */
  scan(texts: Texts, stage: Stage): boolean | Promise<boolean> {
    const { slots } = texts;
    if (isLong(slots)) return this.scanLong(texts, slots, stage);
    if (!this.isUnprepared || stage !== "output" || !this.hasToolInput(slots))
      return this.scanAtOnce(texts, stage, slots);
    return this.prepare(slices.begin()).then(() => this.scanAtOnce(texts, stage, slots));
  }

  /** Whether the provenance of tool calls' arguments is long work that was not done yet. */
  get isUnprepared(): boolean {
    const { provenance, policy } = this.context;
    return provenance?.isUnprepared(policy) ?? false;
  }

  /** Does that work in slices. Throws `guard_unavailable`. */
  async prepare(pause: Pause): Promise<void> {
    const { context } = this;
    const begin = performance.now();
    try {
      await context.provenance?.prepare(pause);
    } catch (error) {
      throw this.scannerFailed(error);
    } finally {
      context.spend(performance.now() - begin, "output");
    }
  }

  /** `scan` for texts that are known to be short. */
  scanAtOnce(texts: Texts, stage: Stage, slots: readonly Slot[] = texts.slots): boolean {
    const { record } = this;
    const begin = performance.now();
    let changed = texts.isRewritten === true;
    try {
      for (const gap of texts.gaps) record.coverage.gap(stage, gap.param, gap.reason);
      const watched = record.content.watch(stage, slots, texts);
      const { judging } = this;
      for (const slot of watched) {
        const { scan, cached } = judging.judge(slot);
        const isContent = !isEnvelope(slot, texts);
        if (isContent) record.coverage.count(stage, slot.text.length, cached);
        const spans = this.decide(slot, scan, stage);
        const left = spans === null ? slot.text : redactText(slot.text, spans, this.labels);
        if (stage === "input") this.asked(slot, scan, left);
        else if (isContent) this.leaves(slot, left);
        if (spans === null) continue;
        slot.replace(left);
        changed = true;
      }
      texts.settle?.();
      record.content.passed(watched);
    } finally {
      this.context.spend(performance.now() - begin, stage);
    }
    return changed;
  }

  /** Whether nothing is found in short texts, nor anything left unread. Notes nothing. */
  isFree({ slots, gaps }: Texts): boolean {
    if (gaps.length > 0) return false;
    return slots.every((slot) => {
      const { findings, unscanned } = this.judging.judge(slot).scan;
      return findings.length === 0 && unscanned === undefined;
    });
  }

  /** `scanAtOnce` for what `isFree` has said so of. */
  passFree(texts: Texts, stage: Stage): void {
    const { record } = this;
    const watched = record.content.watch(stage, texts.slots, texts);
    for (const slot of watched) {
      if (isEnvelope(slot, texts)) continue;
      record.coverage.count(stage, slot.text.length);
      if (stage === "output") this.leaves(slot, slot.text);
    }
    texts.settle?.();
    record.content.passed(watched);
  }

  /** What the policy makes of a text that goes nowhere: noted in the record, but no event. Throws as `scan` does. */
  probe(slot: Probed): readonly Judged[] | Promise<readonly Judged[]> {
    const { record, judging } = this;
    const begin = performance.now();
    const note = ({ scan, cached }: LongScan) => {
      this.context.spend(performance.now() - begin, "input");
      record.coverage.count("input", slot.text.length, cached);
      if (scan.unscanned) record.coverage.gap("input", slot.param, scan.unscanned.reason);
    };
    if (!isLong([slot])) {
      const judged = judging.judge(slot);
      note(judged);
      record.report(judged.scan.findings, slot, "input");
      return judged.scan.findings;
    }
    let findings: readonly Judged[] = [];
    const scanned = scanLong([slot], {
      ...this.longScan,
      isRefusable: true,
      settle: async (_, verdict, pause) => {
        const amended = await judging.amend(verdict, slot, pause);
        note(amended);
        ({ findings } = await unpackInSlices(amended.scan, pause));
        for (const batch of batchesOf(findings)) {
          record.report(batch, slot, "input");
          const wait = pause();
          if (wait) await wait;
        }
      },
    });
    return scanned.then(() => findings);
  }

  /** Records which conversation the call belongs to, judged before it can be repeated. Throws as `scan` does. */
  attachConversation(conversation: string | null): Promise<void> | undefined {
    if (conversation === null) return undefined;
    let text = conversation;
    const replace = (next: string) => {
      text = next;
    };
    const slot: Slot = { param: "conversation_id", origin: "user", text, replace };
    const scanned = this.scan({ slots: [slot], gaps: [] }, "input");
    const attach = () => {
      this.context.conversation = recordedConversation(text);
      this.recallDecisions(this.context.conversation);
    };
    if (typeof scanned !== "boolean") return scanned.then(attach);
    attach();
    return undefined;
  }

  /** The caller's words about its trace leave the hub, so they are scanned as others. Throws `content_filter`. */
  judgeTrace(): void {
    const { trace } = this.context;
    const text = trace?.givenState ?? null;
    if (trace === null || text === null) return;
    // Half of it would be no trace state: what has to be redacted stays here.
    const slot: Slot = { param: "tracestate", origin: "user", text, replace: () => {} };
    if (!this.scanAtOnce({ slots: [slot], gaps: [] }, "input")) trace.acceptState();
  }

  /** Only models are sent a conversation again. */
  private recallDecisions(conversation: string): void {
    const { context, record } = this;
    if (context.tool !== null) return;
    const { policy, exceptionMatcher } = context.rules;
    const rules = `${policy.key} ${exceptionMatcher.revision}`;
    context.decisions = this.deps.earlierDecisions.of(context.caller, conversation, rules);
    record.content.followsAnswer = true;
  }

  /** Traces the values of a tool call's own arguments. Throws `content_filter` where the policy blocks what it finds. */
  trace(origins: Origins, slots: readonly Slot[]): void {
    const { context, record } = this;
    for (const { param, text, field } of slots) {
      const found = taintedIn(origins, context.policy, text, field);
      if (origins.isPartial) record.coverage.gap("input", param, "provenance");
      if (found.length === 0) continue;
      this.tainted.push({ param, values: found });
      if (record.add(found, { param, origin: "tool_args" }, "input") !== "block") continue;
      record.content.withhold("input", { param, origin: "tool_args", text });
      throw this.blocked("input", param, found);
    }
  }

  /**
   * Whether what a tool said ordered the call, with a value that nobody trusted has said. Noted as a finding. Throws
   * `content_filter` where the policy blocks it.
   */
  isOrdered({ param, tool, arguments: given }: AnsweredCall, stage: Stage): boolean {
    const { provenance, origins, policy } = this.context;
    if ((provenance ?? origins) === null) return false;
    const values = givenIn(given);
    const source = provenance?.ordererOf(tool, values) ?? origins?.ordererOf(tool, values) ?? null;
    if (provenance?.isPartial || origins?.isPartial) this.record.coverage.gap(stage, param, "provenance");
    if (source === null) return false;
    const verdict = policy.verdict("tool_args", TAINTED.type, ORDER_SCORE);
    const finding = { ...TAINTED, start: 0, end: 0, score: ORDER_SCORE, ...verdict, source };
    const place = { param, origin: "tool_args" } as const;
    if (this.record.add([finding], place, stage) !== "block") return true;
    this.record.content.withhold(stage, { ...place, text: given });
    throw this.blocked(stage, param, [finding]);
  }

  /** What only a tool had said of a tool call's arguments, as far as all are known who may have said it, too. */
  taintIn(param: string): readonly Tainted[] {
    return this.tainted.flatMap(({ param: place, values }) =>
      place === param || place.startsWith(`${param}.`) || place.startsWith(`${param}[`)
        ? values.filter(({ isSure }) => isSure)
        : [],
    );
  }

  /** The error a block answers with. The matched text is never in it. */
  blocked(stage: Stage, param: string, findings: readonly Judged[]): GuardError {
    const { stream, tool, rules, caller } = this.context;
    return blockError({
      stage,
      param,
      findings,
      isStreamed: stream,
      eventId: this.record.claimEvent(),
      answerer: tool ? "tool" : "model",
      policyRevision: rules.policy.revision,
      profileVersion: rules.effective.profile_version,
      reportsLeft: this.deps.reportsLeft?.(caller.user.id) ?? null,
    });
  }

  scannerFailed(cause: unknown): GuardError {
    this.deps.log.error("guard.scan_failed", { ...causeOf(cause), call_id: this.context.id });
    return notScanned(cause);
  }

  private async scanLong(texts: Texts, slots: readonly Slot[], stage: Stage): Promise<boolean> {
    const { record, judging } = this;
    if (this.isUnprepared && stage === "output" && this.hasToolInput(slots)) await this.prepare(slices.begin());
    const begin = performance.now();
    let changed = texts.isRewritten === true;
    try {
      for (const gap of texts.gaps) record.coverage.gap(stage, gap.param, gap.reason);
      const watched = record.content.watch(stage, slots, texts);
      await scanLong(watched, {
        ...this.longScan,
        // An answer was paid for already.
        isRefusable: stage === "input",
        settle: async (slot, verdict, pause) => {
          const { scan, cached } = await judging.amend(verdict, slot, pause);
          if (!isEnvelope(slot, texts)) record.coverage.count(stage, slot.text.length, cached);
          const spans = await this.decideInSlices(slot, scan, stage, pause);
          const left = spans === null ? slot.text : await redactInSlices(slot.text, spans, this.labels, pause);
          if (stage === "input") this.asked(slot, scan, left);
          else if (!isEnvelope(slot, texts)) this.leaves(slot, left);
          if (spans === null) return;
          slot.replace(left);
          changed = true;
        },
      });
      if (texts.settleSliced) await texts.settleSliced(() => slices.turn());
      else texts.settle?.();
      record.content.passed(watched);
    } finally {
      this.context.spend(performance.now() - begin, stage);
    }
    return changed;
  }

  private isToolInput({ param }: Pick<Slot, "param">): boolean {
    return this.context.toolInput?.test(param) === true;
  }

  private hasToolInput(slots: readonly Slot[]): boolean {
    return slots.some((slot) => this.isToolInput(slot));
  }

  private get judging(): Judging {
    const { rules, id } = this.context;
    return new Judging(this.deps, rules, id);
  }

  private get longScan() {
    const { policy, caller, signal } = this.context;
    return { scanner: this.deps.scanner, policy, caller: turnOf(caller), signal: signal?.() ?? null };
  }

  /** What is to be redacted in a text; null for nothing. Throws `content_filter` for a block. */
  private decide(slot: Slot, scan: Scan, stage: Stage): readonly Judged[] | null {
    const { record } = this;
    const { param } = slot;
    const tainted = this.taint(slot, stage);
    if (scan.unscanned) record.coverage.gap(stage, param, scan.unscanned.reason);
    if (stage === "output" && this.wasAsked(slot, scan)) return null;
    const earlier = stage === "input" ? this.earlier(slot, scan.findings) : null;
    const own = ofSlot(slot, scan.findings);
    const found = earlier === null ? own : [...asEarlier(earlier, own)];
    if (found.length === 0 && tainted.length === 0) return null;
    const scanned = record.add(found, slot, stage, earlier === null ? undefined : "enforce");
    const action = strictest([scanned, record.add(tainted, { param, origin: "tool_args" }, stage)]);
    if (action !== "redact" && action !== "block") return null;
    const findings = tainted.length === 0 ? found : [...found, ...tainted];
    record.content.withhold(stage, slot);
    if (action === "block") throw this.blocked(stage, param, findings);
    return findings;
  }

  /** The same for a long text, in slices. */
  private async decideInSlices(
    slot: Slot,
    scan: AnyScan,
    stage: Stage,
    pause: Pause,
  ): Promise<Iterable<Judged> | null> {
    const { record } = this;
    const { param } = slot;
    const tainted = this.taint(slot, stage);
    if (scan.unscanned) record.coverage.gap(stage, param, scan.unscanned.reason);
    if (stage === "output" && this.wasAsked(slot, scan)) return null;
    const earlier = stage === "input" ? await this.earlierInSlices(slot, scan, pause) : null;
    if (countOf(scan) === 0 && tainted.length === 0 && earlier === null) return null;
    const found = () => (earlier === null ? findingsOf(scan) : asEarlier(earlier, findingsOf(scan)));
    const blocking = new BlockingFindings();
    const actions = new Set<Action>();
    for (const batch of batchesOf(found())) {
      const own = ofSlot(slot, batch);
      actions.add(record.add(own, slot, stage, earlier === null ? undefined : "enforce"));
      blocking.add(own);
      const wait = pause();
      if (wait) await wait;
    }
    actions.add(record.add(tainted, { param, origin: "tool_args" }, stage));
    blocking.add(tainted);
    const action = strictest(actions);
    if (action !== "redact" && action !== "block") return null;
    record.content.withhold(stage, slot);
    if (action === "block") throw this.blocked(stage, param, blocking.list);
    return chained(found(), tainted);
  }

  /** What was redacted in a text of the request when it was sent earlier; null where it is decided now. */
  private earlier(slot: Slot, findings: readonly Judged[]): readonly Judged[] | null {
    const { decisions, policy } = this.context;
    if (decisions === null || isDecidedAnew(slot)) return null;
    const enforced = new EnforcedFindings(policy.mode);
    enforced.add(findings);
    return decisions.decide(slot, enforced);
  }

  /** The same for a long text, in slices. */
  private async earlierInSlices(slot: Slot, scan: AnyScan, pause: Pause): Promise<readonly Judged[] | null> {
    const { decisions, policy } = this.context;
    if (decisions === null || isDecidedAnew(slot)) return null;
    const enforced = new EnforcedFindings(policy.mode);
    for (const batch of batchesOf(findingsOf(scan))) {
      enforced.add(batch);
      const wait = pause();
      if (wait) await wait;
    }
    return decisions.decide(slot, enforced);
  }

  /** Remembers a text of the request with findings, which the answer may repeat. */
  private asked({ param }: Slot, scan: AnyScan, text: string): void {
    if (countOf(scan) > 0) this.repeats.note({ param, text }, this.context.repeated);
  }

  /** Whether a text of the answer only repeats what its provider was sent. */
  private wasAsked({ param, text, origin }: Slot, scan: AnyScan): boolean {
    return countOf(scan) > 0 && origin !== "output" && this.repeats.has({ param, text }, this.context.repeated);
  }

  /** Of an answer: in later requests it stands in what the model said, or gave its tools. */
  private leaves(slot: Slot, text: string): void {
    const { decisions } = this.context;
    if (decisions === null) return;
    const { field } = slot;
    const origin = this.isToolInput(slot) ? "tool_args" : "assistant";
    decisions.leaves({ text, origin, ...(field !== undefined && { field }) });
  }

  /** Values in a tool call's arguments that came from a tool. Throws `guard_unavailable`. */
  private taint(slot: Slot, stage: Stage): readonly Tainted[] {
    const { provenance, origins, policy } = this.context;
    if ((provenance ?? origins) === null || stage !== "output" || !this.isToolInput(slot)) return [];
    try {
      // What was said before counts for values of which this request tells nothing.
      const all = policy.mode === "off" ? null : chainOf([provenance?.origins(policy) ?? null, origins]);
      const tainted = all === null ? [] : taintedIn(all, policy, slot.text, slot.field);
      if (tainted.length > 0) this.tainted.push({ param: slot.param, values: tainted });
      if (provenance?.isPartial || origins?.isPartial) {
        this.record.coverage.gap("output", slot.param, "provenance");
      }
      return tainted;
    } catch (error) {
      throw this.scannerFailed(error);
    }
  }
}
