import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { isLongJson } from "#core/json/json-size";
import type { CallAnswer, CallRequest, ToolNote } from "#features/tools/dialect/port";
import type { GovernedToolCall } from "#features/tools/governed";
import { type CallParams, passedResult } from "#features/tools/params";
import type { CallDeadline } from "#guard/call-deadline";
import { deniedBy } from "#guard/call-outcome";
import type { GuardedCall } from "#guard/guarded-call";
import { unitsOf } from "#guard/long-scan";
import type { ScanBatcher } from "#guard/scan-batcher";
import type { OpenTool } from "#guard/tools/view";
import type { TokenPrincipal } from "#model/principal";
import type { CallToolResult, ProgressNotificationParams, Unchecked } from "#model/tools/mcp-types";
import { slices } from "#platform/slices";
import { type Texts, Walk, walkSliced } from "#scan/texts/text-walk";
import {
  ToolFailure,
  type ToolFailureReason,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
} from "#upstream/tool-port";
import { failedResult } from "./dialect/exchange";
import { type CallOutcome, CallQuestions, PAGES_REQUIRED, type QuestionNeeds } from "./questions/call-questions";

/** The tool that is called, and whom its server may ask while it works. */
type Called = {
  readonly caller: TokenPrincipal;
  readonly tool: OpenTool;
  readonly request: CallRequest;
  readonly questions: QuestionNeeds;
};

type Passage = {
  readonly slug: string;
  readonly params: CallParams;
  readonly request: Pick<CallRequest, "conversation" | "clientCapabilities" | "onProgress">;
  readonly deadline: CallDeadline;
  readonly jsonDepth: number;
  readonly silenceMs: number;
  readonly governed: GovernedToolCall;
  readonly scanBatcher: ScanBatcher;
  /** A scanned result as callers are shown it. */
  readonly shown: (result: JsonRecord) => JsonRecord;
  /** Null for what is no tool: its server may ask nobody. */
  readonly called: Called | null;
  readonly send: (leg: ToolLeg, extra: JsonRecord) => Promise<UpstreamToolAnswer>;
};

/** What goes with a request to its server, whatever it asks. */
export type ToolLeg = Omit<UpstreamToolCall, "name" | "arguments" | "extra" | "inputSchema" | "isTask">;

/** How a server's failure is named in the record. */
const CODES: Readonly<Record<ToolFailureReason, "upstream_error" | "upstream_timeout" | "upstream_auth_failed">> = {
  unreachable: "upstream_error",
  timeout: "upstream_timeout",
  unauthorized: "upstream_auth_failed",
  garbage: "upstream_error",
  too_large: "upstream_error",
  forbidden_address: "upstream_error",
  cancelled: "upstream_error",
  breaker_open: "upstream_error",
  busy: "upstream_error",
};

/** One call of a tool, or another request, that the caller may make: arguments scanned, sent, result scanned, written down. */
export class ToolCall {
  /** Settles when the record that the call is open is on disk; nothing is told to the caller before. */
  private begun: Promise<void> | null = null;
  /** Progress that is still scanned. */
  private progressing: Promise<void> | null = null;

  constructor(
    private readonly call: GuardedCall,
    private readonly passage: Passage,
  ) {}

  /**
   * What a model can act on is a result with `isError`: a block, a server that fails. Throws what ends the call
   * itself: `client_closed`, `shutting_down`, `upstream_timeout`, `audit_unavailable`.
   */
  async run(): Promise<CallAnswer> {
    try {
      return await this.answer();
    } catch (error) {
      const known = this.passage.deadline.explain(error);
      if (known instanceof GuardError && known.code === "content_filter") return this.blocked(known);
      if (known instanceof ToolFailure) return this.failed(known);
      throw known;
    }
  }

  /** Throws a block and a server's failure too. */
  async answer(): Promise<CallAnswer> {
    const { params, request, governed, called } = this.passage;
    this.call.gate.judgeTrace();
    await this.call.gate.attachConversation(request.conversation);
    await governed.reserve();
    await this.inTurn(params.texts, () => this.call.gate.scan(params.texts, "input"));
    const questions = called && this.questions(called);
    await questions?.open();
    const approved = await governed.assertApproved(called?.tool.pin ?? null, questions?.approved ?? null);
    if (questions) questions.approved = approved;
    const { answer, requestState } = await this.send(questions);
    if (this.progressing) await this.progressing;
    const scanned = withState(await this.scanned(answer), requestState);
    if (this.begun) await this.begun;
    const isError = answer.kind === "error" || answer.result.isError === true;
    this.note(isError);
    const recorded = this.call.record.finish("answered", 200);
    const told = governed.told();
    await (told === null ? recorded : Promise.all([recorded, told]));
    const note = this.notes();
    return scanned.kind === "error"
      ? { ...scanned, note }
      : { ...scanned, result: this.passage.shown(scanned.result), note };
  }

  private questions(called: Called): CallQuestions {
    const passage = { ...this.passage, ...called, begun: () => this.begin(), onProgress: this.onProgress };
    return new CallQuestions(this.call, passage, called.questions);
  }

  /** Null where the caller wants none. */
  private get onProgress(): ((progress: Unchecked<ProgressNotificationParams>) => void) | null {
    return this.passage.request.onProgress && ((progress) => this.progress(progress));
  }

  private async send(questions: CallQuestions | null): Promise<CallOutcome> {
    const { slug, params, request, deadline, silenceMs, send } = this.passage;
    const since = performance.now();
    this.call.record.markForwarded();
    this.call.context.attempts = 1;
    const trace = this.call.context.trace?.headers ?? null;
    const leg = {
      meta: trace === null ? params.meta : { ...withoutTrace(params.meta), ...trace },
      trace,
      clientCapabilities: request.clientCapabilities,
      silenceMs,
    };
    try {
      if (questions === null) {
        const { ending } = deadline;
        const answer = await send({ ...leg, signal: ending, onProgress: this.onProgress }, params.extra);
        if (asksBack(answer))
          throw new ToolFailure("garbage", `${slug} asks the user, which only its tools may.`, false);
        return { answer, requestState: null };
      }
      return await questions.run(({ extra, onProgress: passOn, ...own }) =>
        send({ ...leg, ...own, onProgress: request.onProgress && passOn }, extra),
      );
    } finally {
      // A person's time is not the server's.
      this.call.context.upstreamMs = performance.now() - since - (questions?.waitedMs ?? 0);
    }
  }

  /**
   * Progress is text of the tool's too: what may not pass is left out, and the call goes on. What comes while a long one
   * is scanned waits behind it.
   */
  private progress(params: Unchecked<ProgressNotificationParams>): void {
    const passed = this.progressing ? this.progressing.then(() => this.isPassed(params)) : this.isPassed(params);
    if (typeof passed === "boolean") {
      if (passed) this.tell(params);
      return;
    }
    const told = passed
      .then((isPassed) => isPassed && this.tell(params))
      .then(() => {
        if (this.progressing === told) this.progressing = null;
      });
    this.progressing = told;
    // The call awaits it and meets its failure there.
    told.catch(() => undefined);
  }

  private tell(params: Unchecked<ProgressNotificationParams>): void {
    this.begin().then(
      () => this.passage.request.onProgress?.(params),
      // The call meets the same failure before it answers.
      () => undefined,
    );
  }

  private begin(): Promise<void> {
    this.begun ??= this.call.record.begin();
    return this.begun;
  }

  private isPassed(params: JsonRecord): boolean | Promise<boolean> {
    try {
      const texts = this.textsOf(params);
      const scanned = texts instanceof Promise ? texts.then((walk) => this.scan(walk)) : this.scan(texts);
      return typeof scanned === "boolean" ? true : scanned.then(() => true, mayBeLeftOut);
    } catch (error) {
      return mayBeLeftOut(error);
    }
  }

  private async scanned(answer: UpstreamToolAnswer): Promise<UpstreamToolAnswer> {
    if (answer.kind === "result") {
      const result = passedResult(answer.result);
      const { governed } = this.passage;
      await this.read(result, (texts) => this.inTurn(texts, () => this.scan(texts)));
      if (governed.isHeard(result)) {
        await this.read(result, ({ slots }) => governed.heard(slots));
      }
      return { kind: "result", result };
    }
    const shown: JsonRecord = { message: answer.message, data: answer.data };
    await this.read(shown, (texts) => this.scan(texts));
    const message = typeof shown["message"] === "string" ? shown["message"] : answer.message;
    return { kind: "error", code: answer.code, message, data: shown["data"] };
  }

  private scan(texts: Walk): boolean | Promise<boolean> {
    return this.call.gate.scan(texts, "output");
  }

  /** With the scans of other calls that are under way. */
  private inTurn<T>({ slots }: Texts, scan: () => T | Promise<T>): T | Promise<T> {
    return this.passage.scanBatcher.run(unitsOf(slots), scan);
  }

  private read<T>(value: JsonRecord, use: (texts: Walk) => T | Promise<T>): T | Promise<T> {
    const texts = this.textsOf(value);
    return texts instanceof Promise ? texts.then(use) : use(texts);
  }

  /**
   * Long ones come as a promise, walked in slices. Throws `ToolFailure` for what is nested too deep to be read: it does
   * not pass unread.
   */
  private textsOf(value: JsonRecord): Walk | Promise<Walk> {
    const walk = new Walk(this.passage.jsonDepth);
    walk.begin(1, () => walk.fields(value, "", "tool_result", 1));
    if (isLongJson(value)) return walkSliced(walk, () => slices.turn()).then(() => this.readable(walk));
    walk.run();
    return this.readable(walk);
  }

  private readable(walk: Walk): Walk {
    if (walk.gaps.some(({ reason }) => reason === "too_deep")) {
      throw new ToolFailure("garbage", "The tool sent an answer nested without end.", true);
    }
    return walk;
  }

  private blocked(error: GuardError): Promise<CallAnswer> {
    return blockedAnswer(this.call, error);
  }

  private async failed(failure: ToolFailure): Promise<CallAnswer> {
    this.note(true);
    await this.call.record.finish("upstream_error", 200, CODES[failure.reason]);
    const advice = failure.mayHaveRun ? " It may have run all the same: check before calling it again." : "";
    const { slug } = this.passage;
    const text = `The tool server ${slug} gave no answer. ${failure.message}${advice}`;
    return { kind: "result", result: failedResult(text), note: this.notes() };
  }

  private note(isError: boolean): void {
    noteError(this.call, isError);
  }

  private notes(): ToolNote {
    return noteOf(this.call);
  }
}

/** What is no answer yet, or wants pages opened first. */
const asksBack = (answer: UpstreamToolAnswer): boolean =>
  answer.kind === "error"
    ? answer.code === PAGES_REQUIRED
    : answer.result["resultType"] !== undefined && answer.result["resultType"] !== "complete";

/** What asks has its state beside it, which no scan may change. */
const withState = (answer: UpstreamToolAnswer, requestState: string | null): UpstreamToolAnswer =>
  answer.kind === "error" || requestState === null
    ? answer
    : { kind: "result", result: { ...answer.result, requestState } };

/** A block as a result that a model can act on. */
export const blockedAnswer = async (call: GuardedCall, error: GuardError): Promise<CallAnswer> => {
  const guard = error.extra?.["guard"];
  const denial = deniedBy(error);
  if (denial) call.record.deny(denial);
  const isOutput = isRecord(guard) && guard["stage"] === "output";
  noteError(call, true);
  await call.record.finish(isOutput ? "blocked_output" : "blocked_input", 200, "content_filter");
  const result: CallToolResult = {
    content: [{ type: "text", text: error.message }],
    isError: true,
    _meta: { "guardhouse/event_id": call.record.eventId, "guardhouse/guard": guard },
  };
  return { kind: "result", result, note: noteOf(call) };
};

export const noteOf = ({ context, record }: GuardedCall): ToolNote => ({
  action: record.action,
  eventId: record.eventId,
  overheadMs: context.overheadMs,
});

const noteError = ({ context }: GuardedCall, isError: boolean): void => {
  const { tool } = context;
  if (tool) context.tool = { ...tool, is_error: isError };
};

/** The caller's span is not the parent of what its server does: the hub's is. */
const withoutTrace = ({ traceparent: _parent, tracestate: _state, ...rest }: JsonRecord): JsonRecord => rest;

/** False for progress that may not pass; what is the hub's own fault is thrown. */
const mayBeLeftOut = (error: unknown): false => {
  if (error instanceof GuardError || error instanceof ToolFailure) return false;
  throw error;
};
