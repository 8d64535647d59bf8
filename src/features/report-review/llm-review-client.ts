import type { Auditor } from "#audit/auditor";
import { GuardError } from "#core/errors";
import { parseJson } from "#core/json/json";
import type { Pass, PromptMessage } from "#features/report-review/reviewer/prompt";
import type { LlmReview, ReplyReader } from "#features/report-review/reviewer/reply";
import { CallDeadline } from "#guard/call-deadline";
import type { Dispatcher } from "#guard/dispatcher";
import type { Subject } from "#guard/enforcement/policy-resolver";
import type { OpenCalls } from "#guard/open-calls";
import type { AuditRecord, CallFacts, Outcome } from "#model/audit";
import { HUB_ACTOR } from "#model/change";
import { usageOf } from "#model/chat";
import type { Usage } from "#model/model-api";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";

/** Where reports are read. */
export type ReviewerOptions = {
  readonly model: string;
  /** Only there; null for whichever provider serves the model. */
  readonly provider: string | null;
  /** One reading, in milliseconds. */
  readonly timeoutMs: number;
};

type LlmReviewClientNeeds = {
  readonly options: ReviewerOptions;
  readonly dispatcher: Dispatcher;
  readonly openCalls: OpenCalls;
  readonly auditor: Auditor;
  readonly reader: ReplyReader;
  /** A kill switch that is on for the model, or for everything. */
  readonly stopOf: (subject: Subject) => GuardError | null;
  readonly policyRevision: () => number;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What a reading is of, as the record calls it. */
export type LlmReviewSubject = { readonly subject: "report" | "canary"; readonly id: string; readonly pass: Pass };

/** The answer is not what was asked for. Says nothing of it. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** Long enough for the object asked for, and for a model that thinks aloud before. */
const MAX_TOKENS = 2_000;

/** Asks the reviewing model, past everything that governs agents: no agent's key, no agent's budget, no tools. */
export class LlmReviewClient {
  constructor(private readonly deps: LlmReviewClientNeeds) {}

  get model(): string {
    return this.deps.options.model;
  }

  /** On record before and after, without content. Throws `Unreadable`, `GuardError`, or what ended it. */
  async read(what: LlmReviewSubject, messages: readonly PromptMessage[], signal: AbortSignal): Promise<LlmReview> {
    const { auditor, openCalls, options, reader, stopOf, ids } = this.deps;
    const call = new LlmCallRecord({ ...this.deps, what, id: ids() });
    auditor.assertAcceptingWork();
    await auditor.write(call.request());
    const subject = { user_id: "", agent_id: null, model: options.model, server_id: null };
    const stopped = () => stopOf(subject);
    const deadline = new CallDeadline({
      client: signal,
      openCalls,
      stopped,
      totalMs: options.timeoutMs,
      noteOpen: () => {},
      subject: () => subject,
    });
    try {
      const stop = stopped();
      if (stop) throw stop;
      const text = await this.answer(messages, deadline, call);
      const review = reader.read(text);
      if (!review) throw new Unreadable("The reviewer's answer has not the form that was asked for");
      await auditor.write(call.final("answered", null));
      return review;
    } catch (error) {
      const cause = deadline.explain(error);
      await auditor.write(call.final("upstream_error", cause));
      throw cause;
    } finally {
      deadline.end();
    }
  }

  private async answer(
    messages: readonly PromptMessage[],
    deadline: CallDeadline,
    call: LlmCallRecord,
  ): Promise<string> {
    const { model, provider } = this.deps.options;
    const request = {
      model,
      messages,
      temperature: 0,
      max_tokens: MAX_TOKENS,
      response_format: { type: "json_object" },
      stream: false,
    };
    const body = JSON.stringify(request);
    const dispatched = await this.deps.dispatcher.send(
      { api: "chat", path: "/chat/completions", headers: {}, body, request, model, stream: false, deadline, provider },
      (name) => call.attempt(name),
    );
    try {
      const { answer } = dispatched;
      if (answer.kind !== "whole")
        throw new GuardError("upstream_error", "The reviewer's provider refused the request.");
      call.usage = usageOf(parseJson(answer.text));
      return answer.text;
    } finally {
      dispatched.release();
    }
  }
}

type RecordNeeds = Pick<LlmReviewClientNeeds, "options" | "policyRevision" | "now" | "ids"> & {
  readonly what: LlmReviewSubject;
  readonly id: string;
};

/** The two records of one reading. */
class LlmCallRecord {
  usage: Usage | null = null;
  private provider: string | null = null;
  private attempts = 0;
  private readonly startedAt: number;

  constructor(private readonly deps: RecordNeeds) {
    this.startedAt = deps.now();
  }

  attempt(provider: string): void {
    this.provider = provider;
    this.attempts += 1;
  }

  request(): AuditRecord {
    return this.record("request", "open", this.facts(0, null));
  }

  final(outcome: Outcome, error: unknown): AuditRecord {
    const code = error instanceof GuardError ? error.code : error === null ? null : "internal_error";
    const isUnreadable = error instanceof Unreadable;
    const status = error instanceof GuardError ? error.status : error === null || isUnreadable ? 200 : 500;
    return this.record("final", isUnreadable ? "failed" : outcome, this.facts(status, isUnreadable ? null : code));
  }

  private record(phase: AuditRecord["phase"], outcome: Outcome, call: CallFacts): AuditRecord {
    const { what, id, ids, now } = this.deps;
    const { subject, id: subject_id, pass } = what;
    return {
      v: 1,
      id: ids(),
      call_id: id,
      phase,
      kind: "report.review",
      at: timestamp(now()),
      actor: HUB_ACTOR,
      outcome,
      call,
      change: { subject, subject_id, detail: { pass } },
    };
  }

  private facts(status: number, code: string | null): CallFacts {
    const { options, policyRevision, now } = this.deps;
    const total = now() - this.startedAt;
    const nothing = { texts: 0, chars: 0, cached: 0, unscanned: [] };
    return {
      status,
      code,
      model: options.model,
      provider: this.provider,
      stream: false,
      policy_revision: policyRevision(),
      profile_version: null,
      tuning_revision: null,
      mode: "enforce",
      action: "allow",
      event_id: null,
      flags: [],
      coverage: { input: nothing, output: nothing },
      usage: this.usage,
      finish_reasons: [],
      ms: { total, guard: 0, upstream: total },
      attempts: this.attempts,
      client_retry: 0,
      conversation_id: null,
    };
  }
}
