import type { AuditRecord, CallFacts, Outcome } from "#core/audit";
import type { Asker } from "#core/caller";
import type { Usage } from "#core/chat";
import { GuardError } from "#core/errors";
import { type Denial, isWatched } from "#core/profile/permits";
import { type Provenance, type ProvenanceIndex, taintedIn } from "#core/provenance";
import type { Action } from "#core/scan/detector";
import type { CompiledPolicy } from "#core/scan/policy";
import { effective, type Judged, Labels, strictest } from "#core/scan/scan";
import type { Slot, Texts } from "#core/text-walk";
import type { ToolFacts } from "#core/tool-facts";
import type { CallContent } from "#engine/call-content";
import { Flags, type Found, type Place } from "#engine/call-flags";
import {
  accessEnded,
  actorOf,
  blockError,
  CoverageTally,
  deniedBy,
  knownReason,
  msOf,
  notScanned,
  outcomeOf,
  recordedConversation,
  type Stage,
  tokensUsed,
  turnOf,
  unexpectedError,
  withEvent,
} from "#engine/call-notes";
import { CallScan } from "#engine/call-scan";
import { type Rules, type Subject, subjectOf } from "#engine/governance/governor";
import type { Reservation } from "#engine/governance/limiter";
import type { GuardDeps } from "#engine/guard-deps";
import { timestamp } from "#platform/clock";
import { causeOf } from "#platform/log";

export type { GuardDeps, Stage };

/** The kind of call that a completion can answer. */
export const CHAT = "chat.completion";

/**
 * One passage through the guard, from its first look to its last record. It ends exactly once, however it ends:
 * `finish` and `fail` write the final record and whichever comes second does nothing.
 */
export class GuardedCall {
  readonly id: string;
  /** What the call is held to, from its begin to its end. */
  rules: Rules;
  /** Its place within the agent's limits, once it has one. */
  reservation: Reservation | null = null;
  /** Filled in as the call learns them. */
  model: string | null = null;
  provider: string | null = null;
  stream = false;
  /** Whether its body is so long that what is done with all of it is done in slices. */
  isLong = false;
  /** Whether a stream's client asked for the usage. */
  wantsUsage = false;
  conversation: string | null = null;
  clientRetry = 0;
  attempts = 0;
  usage: Usage | null = null;
  finishReasons: string[] = [];
  upstreamMs = 0;
  tool: ToolFacts | null = null;
  /** Where values of the request's messages come from; null while no tool has said anything. */
  provenance: Provenance | null = null;

  /** Aborts when nobody waits for the call any more; null where nothing says so. */
  signal: (() => AbortSignal) | null = null;

  /** What may be kept of its texts. */
  readonly content: CallContent;
  /** What was looked at. */
  readonly coverage = new CoverageTally();

  private refusal: unknown = null;
  private denied: Denial | null = null;
  private readonly tainted: string[] = [];
  private made: Labels | null = null;
  readonly scans: CallScan;
  private readonly startedAt: number;
  private readonly startedTick = performance.now();
  private readonly flags = new Flags();
  private guardMs = 0;
  private guardOutMs = 0;
  private action: Action = "allow";
  private event: string | null = null;
  private isThrough = false;
  private begun: Promise<void> | null = null;
  private ended: Promise<void> | null = null;

  constructor(
    private readonly deps: GuardDeps,
    private readonly caller: Asker,
    private readonly kind: string,
    id: string,
  ) {
    this.id = id;
    this.startedAt = deps.clock();
    try {
      this.rules = deps.governor.rulesOf(caller);
    } catch (error) {
      // Kept until `mustRun`, so that this refusal too is met where the call's end is written down.
      this.refusal = error;
      this.rules = deps.governor.rulesOfAgent(null);
    }
    this.content = deps.content.gather(this.rules.effective.content);
    this.scans = new CallScan(deps, this, turnOf(caller));
  }

  get policy(): CompiledPolicy {
    return this.rules.policy;
  }

  /** Whose call it is and what it touches, as far as is known. */
  get subject(): Subject {
    return { ...subjectOf(this.caller), model: this.model, server_id: this.tool?.server_id ?? null };
  }

  /** Throws what forbids this call: `agent_suspended`, `killed`, and whatever kept its rules from being known. */
  mustRun(): void {
    if (this.refusal !== null) throw this.refusal;
    this.deps.governor.mustRun(this.subject);
  }

  /** Puts a denial that is only watched on record, and says that it was. */
  watches(denial: Denial, type: string, param: string): boolean {
    if (!isWatched(this.rules.effective, denial)) return false;
    this.flags.watched(denial, type, param);
    this.action = strictest([this.action, "flag"]);
    return true;
  }

  /** Puts on record who refuses the call, where its error does not say so. */
  deny({ layer, rule }: Denial): void {
    this.denied ??= { layer, rule };
  }

  /** What has come up meanwhile that ends this call; null for nothing. */
  stopped(): GuardError | null {
    const stop = this.deps.governor.stopOf(this.subject);
    if (stop) return stop;
    return this.deps.isWelcome?.(this.caller, this.startedAt) === false ? accessEnded() : null;
  }

  /** One set for the whole call, so that a value has the same label wherever it stands. */
  get labels(): Labels {
    this.made ??= new Labels();
    return this.made;
  }

  /** Whether a tool call's arguments were found to hold what only a tool had said. */
  hasTaint(param: string): boolean {
    return this.tainted.some((place) => place.startsWith(`${param}.`));
  }

  /** Traces the values of a tool call's own arguments. Throws `content_filter` where the policy blocks what it finds. */
  trace(index: ProvenanceIndex, slots: readonly Slot[]): void {
    for (const { param, text } of slots) {
      const found = taintedIn(index, this.policy, text);
      if (found.length === 0) continue;
      this.tainted.push(param);
      if (this.record(found, { param, origin: "tool_args" }, "input") !== "block") continue;
      this.content.withhold("input", { param, origin: "tool_args", text });
      throw this.blocked("input", param, found);
    }
  }

  /** The handle for a dispute, made when there was none. */
  claimEvent(): string {
    this.event ??= this.deps.ids();
    return this.event;
  }

  /** Whether a block is answered like a completion: 200, without content. */
  get blocksQuietly(): boolean {
    return this.kind === CHAT && this.rules.effective.block_response.value === "completion";
  }

  /** The strictest thing done to this call so far. */
  get guardAction(): Action {
    return this.action;
  }

  /** The handle for a dispute, once something was redacted or blocked. */
  get eventId(): string | null {
    return this.event;
  }

  get overheadMs(): number {
    return Math.max(0, performance.now() - this.startedTick - this.upstreamMs);
  }

  /**
   * Scans every slot and puts redactions in place; true when anything was changed. Long texts take their time: then a
   * promise of the same.
   * Throws `content_filter` for a block, `guard_unavailable` when the scanner fails: a text that could not be
   * judged is never passed on; `rate_limit_exceeded` when too many long texts wait.
   */
  scan(texts: Texts, stage: Stage): boolean | Promise<boolean> {
    return this.scans.scan(texts, stage);
  }

  /** The same for texts that are known to be short. */
  scanAtOnce(texts: Texts, stage: Stage): boolean {
    return this.scans.scanAtOnce(texts, stage);
  }

  /** Records which conversation the call belongs to, judged before it can be repeated. Throws as `scan` does. */
  converse(conversation: string | null): Promise<void> | undefined {
    if (conversation === null) return undefined;
    let text = conversation;
    const replace = (next: string) => {
      text = next;
    };
    const slot: Slot = { param: "conversation_id", origin: "user", text, replace };
    const scanned = this.scan({ slots: [slot], gaps: [] }, "input");
    const record = () => {
      this.conversation = recordedConversation(text);
    };
    if (typeof scanned !== "boolean") return scanned.then(record);
    record();
    return undefined;
  }

  /** What the policy makes of a text that goes nowhere: noted in the record, but no event. Throws as `scan` does. */
  probe(slot: Pick<Slot, "text" | "origin" | "param">): readonly Judged[] | Promise<readonly Judged[]> {
    return this.scans.probe(slot);
  }

  /** Notes in the record what is reported only. */
  report(findings: readonly Found[], where: Place, stage: Stage): void {
    this.flags.add(findings, where, stage);
  }

  /** Notes that what a tool call is given holds what only a tool had said. */
  noteTaint(param: string): void {
    this.tainted.push(param);
  }

  /** Notes findings in the record; returns what is to be done about them under the policy's mode. */
  record(findings: readonly Found[], where: Place, stage: Stage = "output"): Action {
    this.flags.add(findings, where, stage);
    const done = effective(this.policy.mode, strictest(findings.map((finding) => finding.action)));
    this.action = strictest([this.action, done]);
    if (done === "redact" || done === "block") this.event ??= this.deps.ids();
    return done;
  }

  spend(guardMs: number, stage: Stage = "output"): void {
    this.guardMs += guardMs;
    if (stage === "output") this.guardOutMs += guardMs;
  }

  /** The error a block answers with. The matched text is never in it. */
  blocked(stage: Stage, param: string, findings: readonly Judged[]): GuardError {
    return blockError({
      ...{ stage, param, findings, isStreamed: this.stream, eventId: this.claimEvent() },
      answerer: this.tool ? "tool" : "model",
      policyRevision: this.policy.revision,
      profileVersion: this.rules.effective.profile_version,
      reportsLeft: this.deps.reportsLeft?.(this.caller.user.id) ?? null,
    });
  }

  scannerFailed(cause: unknown): GuardError {
    this.deps.log.error("guard.scan_failed", { ...causeOf(cause), call_id: this.id });
    return notScanned(cause);
  }

  /** The call goes to a provider now. From the next beat on it is written down as open. */
  letThrough(): void {
    this.isThrough = true;
  }

  /**
   * A call that is still open when the heart beats gets its request record, so that a crash cannot hide it.
   * One that ends sooner has everything in its final record, which nothing is answered without.
   */
  beat(): void {
    if (!this.isThrough || this.ended || this.begun) return;
    // Its failure turns the audit log unhealthy, and meets this call again at its final record.
    this.begin().catch(() => undefined);
  }

  /** Writes that the call is let through, once. Resolves when that is on disk; throws `audit_unavailable`. */
  begin(): Promise<void> {
    this.begun ??= this.deps.auditor.write(this.toRecord("request", "open", 0, null));
    return this.begun;
  }

  /** The final record, once. Resolves when it is on disk; throws `audit_unavailable`. */
  finish(outcome: Outcome, status: number, code: string | null = null): Promise<void> {
    this.ended ??= this.end(this.toRecord("final", outcome, status, code));
    return this.ended;
  }

  private end(record: AuditRecord): Promise<void> {
    this.reservation?.settle(this.isThrough ? tokensUsed(this.usage, this.coverage) : 0);
    this.deps.onEnded?.(record);
    const written = this.deps.auditor.write(record);
    if (this.content.isEmpty) return written;
    return written.then(() => this.deps.content.keep(record, this.content, this.isThrough));
  }

  /** Ends a call that did not succeed and gives the error its caller is to see. */
  async fail(error: unknown): Promise<GuardError> {
    const known = error instanceof GuardError ? error : this.unexpected(error);
    this.denied ??= deniedBy(known);
    try {
      const isQuiet = known.code === "content_filter" && this.blocksQuietly;
      await this.finish(outcomeOf(known), isQuiet ? 200 : known.status, known.code);
    } catch (auditError) {
      return auditError instanceof GuardError ? auditError : this.unexpected(auditError);
    }
    return withEvent(known, this.event, this.action);
  }

  private unexpected(error: unknown): GuardError {
    this.deps.log.error("call.unexpected", { ...causeOf(error), call_id: this.id });
    return unexpectedError(error, this.id);
  }

  private toRecord(phase: "request" | "final", outcome: Outcome, status: number, code: string | null): AuditRecord {
    const hmac = phase === "final" ? this.deps.content.hmacOf(this.content) : null;
    return {
      v: 1,
      id: this.deps.ids(),
      call_id: this.id,
      phase,
      kind: this.kind,
      at: timestamp(phase === "request" ? this.startedAt : this.deps.clock()),
      actor: actorOf(this.caller),
      outcome,
      call: { ...this.facts(status, code), ...(hmac && { content_hmac: hmac }) },
    };
  }

  private facts(status: number, code: string | null): CallFacts {
    const total = performance.now() - this.startedTick;
    return {
      status,
      code,
      model: this.model,
      provider: this.provider,
      stream: this.stream,
      policy_revision: this.policy.revision,
      profile_version: this.rules.effective.profile_version,
      tuning_revision: this.rules.tuner.revision,
      mode: this.rules.effective.mode,
      action: this.action,
      event_id: this.event,
      flags: this.flags.list,
      coverage: this.coverage.facts,
      usage: this.usage,
      finish_reasons: this.finishReasons.map(knownReason),
      ms: msOf(total, { guard: this.guardMs, upstream: this.upstreamMs, out: this.guardOutMs }),
      attempts: this.attempts,
      client_retry: this.clientRetry,
      conversation_id: this.conversation,
      ...(this.tool && { tool: this.tool }),
      ...(this.denied && { denied_by: this.denied }),
    };
  }
}
