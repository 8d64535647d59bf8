import { GuardError } from "#core/errors";
import type { CallContent } from "#guard/call-content";
import type { CallContext } from "#guard/call-context";
import { ScanCoverage, tokensUsed } from "#guard/call-coverage";
import { unexpectedError, withEvent } from "#guard/call-errors";
import { CallFlags, type FlaggedFinding, type FlagPlace } from "#guard/call-flags";
import { deniedBy, knownReason, msOf, outcomeOf } from "#guard/call-outcome";
import type { GuardNeeds } from "#guard/guard-needs";
import { callCost } from "#guard/money/call-cost";
import type { AskedTools, AuditRecord, CallFacts, Outcome, Stage } from "#model/audit";
import type { ContentHmac } from "#model/kept-content";
import { nanoOf, usdOf } from "#model/money";
import { actorOf } from "#model/principal";
import { timestamp } from "#platform/clock";
import { causeOf } from "#platform/log";
import { type Denial, isWatched } from "#policy/profile/permits";
import type { Action } from "#scan/detector";
import type { Mode } from "#scan/policy";
import { effective, strictest } from "#scan/scan";

type RecordNeeds = Pick<
  GuardNeeds,
  "auditor" | "clock" | "ids" | "log" | "content" | "onEnded" | "priceOf" | "gatewayToolOf"
>;

type End = { readonly outcome: Outcome; readonly status: number; readonly code: string | null };

/** A call that takes no longer has no request record. With the time to the next look it is 100 ms. */
const SHORT_MS = 60;

/** Names of tools in one record. */
const MAX_ASKED_NAMES = 20;

/**
 * Builds the audit records of one guarded call from its context and from what was found. The call ends exactly once:
 * `finish` and `fail` write the final record, and whichever comes second does nothing.
 */
export class CallRecord {
  /** What may be kept of the call's texts. */
  readonly content: CallContent;
  /** What was looked at. */
  readonly coverage = new ScanCoverage();

  private readonly flags = new CallFlags();
  private strictestAction: Action = "allow";
  private event: string | null = null;
  private denied: Denial | null = null;
  /** When it went to a provider, by a clock that only goes forward; null until then. */
  private forwardedAt: number | null = null;
  private begun: Promise<void> | null = null;
  private ended: Promise<void> | null = null;

  constructor(
    private readonly deps: RecordNeeds,
    private readonly context: CallContext,
  ) {
    this.content = deps.content.gather(context.rules.effective.content);
  }

  /** The strictest thing done to this call so far. */
  get action(): Action {
    return this.strictestAction;
  }

  /** The handle for a dispute, once something was redacted or blocked. */
  get eventId(): string | null {
    return this.event;
  }

  /** The handle for a dispute, made when there was none. */
  claimEvent(): string {
    this.event ??= this.deps.ids();
    return this.event;
  }

  /** Notes findings; returns what is to be done about them, under the policy's mode unless another is given. */
  add(
    findings: readonly FlaggedFinding[],
    where: FlagPlace,
    stage: Stage = "output",
    mode: Mode = this.context.policy.mode,
  ): Action {
    this.flags.add(findings, where, stage);
    const done = effective(mode, strictest(findings.map((finding) => finding.action)));
    this.strictestAction = strictest([this.strictestAction, done]);
    if (done === "redact" || done === "block") this.event ??= this.deps.ids();
    return done;
  }

  /** Notes findings that nothing is done about. */
  report(findings: readonly FlaggedFinding[], where: FlagPlace, stage: Stage): void {
    this.flags.add(findings, where, stage);
  }

  /** Notes a denial that is only watched, and says whether it is. */
  watches(denial: Denial, type: string, param: string, stage: Stage = "input"): boolean {
    if (!isWatched(this.context.rules.effective, denial)) return false;
    this.flags.watched(denial, type, param, stage);
    this.strictestAction = strictest([this.strictestAction, "flag"]);
    return true;
  }

  /** Notes who refuses the call, where its error does not say so. */
  deny({ layer, rule }: Denial): void {
    this.denied ??= { layer, rule };
  }

  /** The call goes to a provider now. */
  markForwarded(): void {
    this.forwardedAt ??= performance.now();
    this.context.trace?.forwarded();
    this.context.decisions?.forwarded();
  }

  /**
   * A call that is with a provider for so long gets its request record, so that a crash cannot hide it. One that ends
   * sooner has everything in its final record, which nothing is answered without.
   */
  noteOpen(now: number): void {
    if (this.ended || this.begun || this.forwardedAt === null || now - this.forwardedAt < SHORT_MS) return;
    // Its failure turns the audit log unhealthy, and meets this call again at its final record.
    this.begin().catch(() => undefined);
  }

  /** Writes that the call is let through, once. Resolves when that is on disk; throws `audit_unavailable`. */
  begin(): Promise<void> {
    this.begun ??= this.deps.auditor.write(this.toRecord("request", { outcome: "open", status: 0, code: null }, null));
    return this.begun;
  }

  /** The final record, once. Resolves when it is on disk; throws `audit_unavailable`. */
  finish(outcome: Outcome, status: number, code: string | null = null): Promise<void> {
    if (outcome === "answered" && this.ended === null) this.rememberAnswer();
    this.ended ??= this.end((hmac) => this.toRecord("final", { outcome, status, code }, hmac));
    return this.ended;
  }

  private rememberAnswer(): void {
    const { decisions } = this.context;
    if (decisions === null) return;
    for (const { param, text } of this.content.streamed) {
      // Arguments of tool calls are whole when they are scanned, and remembered then.
      decisions.leaves({ text, origin: "assistant", field: param.slice(param.lastIndexOf(".") + 1) });
    }
    decisions.delivered();
  }

  /** Ends a call that did not succeed and gives the error its caller is to see. */
  async fail(error: unknown): Promise<GuardError> {
    const known = error instanceof GuardError ? error : this.unexpected(error);
    this.denied ??= deniedBy(known);
    try {
      const isQuiet = known.code === "content_filter" && this.context.answersBlockAsCompletion;
      await this.finish(outcomeOf(known), isQuiet ? 200 : known.status, known.code);
    } catch (auditError) {
      return auditError instanceof GuardError ? auditError : this.unexpected(auditError);
    }
    return withEvent(known, this.event, this.action);
  }

  /** Long texts are hashed in slices; nothing is written before. */
  private end(recordWith: (hmac: ContentHmac | null) => AuditRecord): Promise<void> {
    const hmac = this.deps.content.hmacOf(this.content);
    return hmac instanceof Promise ? hmac.then((made) => this.write(recordWith(made))) : this.write(recordWith(hmac));
  }

  private write(record: AuditRecord): Promise<void> {
    const { reservation, spending, usage, trace } = this.context;
    reservation?.settle(this.isForwarded ? tokensUsed(usage, this.coverage) : 0);
    spending?.settle(nanoOf(record.call?.cost_usd ?? 0));
    this.deps.onEnded?.(record);
    trace?.ended(record);
    const written = this.deps.auditor.write(record);
    if (this.content.isEmpty) return written;
    return written.then(() => this.deps.content.keep(record, this.content, this.isForwarded));
  }

  private get isForwarded(): boolean {
    return this.forwardedAt !== null;
  }

  private unexpected(error: unknown): GuardError {
    const { id } = this.context;
    this.deps.log.error("call.unexpected", { ...causeOf(error), call_id: id });
    return unexpectedError(error, id);
  }

  private toRecord(phase: "request" | "final", { outcome, status, code }: End, hmac: ContentHmac | null): AuditRecord {
    const { context, deps } = this;
    return {
      v: 1,
      id: deps.ids(),
      call_id: context.id,
      phase,
      kind: context.kind,
      at: timestamp(phase === "request" ? context.startedAt : deps.clock()),
      actor: actorOf(context.caller),
      outcome,
      call: {
        ...this.facts(status, code),
        ...(phase === "final" ? this.cost({ outcome, code }) : this.costBegun({ outcome, code })),
        ...(hmac && { content_hmac: hmac }),
      },
    };
  }

  private cost(end: Pick<End, "outcome" | "code">): Pick<CallFacts, "cost_usd" | "cost_basis"> | null {
    const cost = callCost(this.context, this.coverage, end, this.deps.priceOf);
    return cost && { cost_usd: cost.nano === null ? null : usdOf(cost.nano), cost_basis: cost.basis };
  }

  private costBegun(end: Pick<End, "outcome" | "code">): Pick<CallFacts, "cost_begun_usd"> | null {
    const cost = this.cost(end);
    return cost && { cost_begun_usd: cost.cost_usd ?? null };
  }

  private askedTools(): AskedTools {
    const { toolCalls, toolsCalled, caller } = this.context;
    const names = new Set<string>();
    for (const asked of toolsCalled) {
      const name = this.deps.gatewayToolOf?.(caller.user.id, asked);
      if (name != null) names.add(name);
      if (names.size === MAX_ASKED_NAMES) break;
    }
    return { count: toolCalls, names: [...names] };
  }

  private facts(status: number, code: string | null): CallFacts {
    const { context } = this;
    const { rules, tool, totalMs, guardMs, upstreamMs, guardOutMs } = context;
    return {
      status,
      code,
      model: context.model,
      provider: context.provider,
      stream: context.stream,
      policy_revision: rules.policy.revision,
      profile_version: rules.effective.profile_version,
      tuning_revision: rules.exceptionMatcher.revision,
      mode: rules.effective.mode,
      action: this.action,
      event_id: this.event,
      flags: this.flags.list,
      coverage: this.coverage.facts,
      usage: context.usage,
      finish_reasons: context.finishReasons.map(knownReason),
      ms: msOf(totalMs, { guard: guardMs, upstream: upstreamMs, out: guardOutMs }),
      attempts: context.attempts,
      client_retry: context.clientRetry,
      conversation_id: context.conversation,
      ...(context.upstreamModel !== null && { upstream_model: context.upstreamModel }),
      ...(context.serverTools.length > 0 && { server_tools: context.serverTools }),
      ...(context.reasoningDropped > 0 && { reasoning_dropped: context.reasoningDropped }),
      ...(context.subAgent && { sub_agent: context.subAgent }),
      ...(context.toolCalls > 0 && { asked_tools: this.askedTools() }),
      ...(tool && { tool }),
      ...(context.decidedOffline !== null && { decided_offline: context.decidedOffline }),
      ...(this.denied && { denied_by: this.denied }),
    };
  }
}
