import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { isLongerThan, isLongJson } from "#core/json/json-size";
import type { CallAnswer, CallRequest, ToolNote } from "#features/tools/dialect/port";
import type { GovernedToolCall } from "#features/tools/governed";
import { type CallParams, passedResult } from "#features/tools/params";
import type { CallDeadline } from "#guard/call-deadline";
import { deniedBy } from "#guard/call-outcome";
import type { GuardedCall } from "#guard/guarded-call";
import { unitsOf } from "#guard/long-scan";
import type { ScanBatcher } from "#guard/scan-batcher";
import type { LogFacts } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import { logLevelOf, reaches } from "#model/tools/log-level";
import type {
  CallToolResult,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
  Unchecked,
} from "#model/tools/mcp-types";
import type { ToolPin, ToolServer } from "#model/tools/tool";
import { slices } from "#platform/slices";
import { type Texts, Walk, walkSliced } from "#scan/texts/text-walk";
import {
  type LogListener,
  ToolFailure,
  type ToolFailureReason,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
} from "#upstream/tool-port";
import { failedResult } from "./dialect/exchange";
import { type CallOutcome, CallQuestions, PAGES_REQUIRED, type QuestionNeeds } from "./questions/call-questions";

/** Whom the server may ask while it works, and what for. */
type Asking = {
  readonly caller: TokenPrincipal;
  readonly server: ToolServer;
  /** What its answers are bound to, beside caller and server. */
  readonly subject: readonly string[];
  readonly needs: QuestionNeeds;
};

type Passage = {
  readonly slug: string;
  readonly params: CallParams;
  readonly request: Pick<
    CallRequest,
    "dialect" | "conversation" | "clientCapabilities" | "onProgress" | "log" | "questions"
  >;
  readonly deadline: CallDeadline;
  readonly jsonDepth: number;
  readonly silenceMs: number;
  readonly governed: GovernedToolCall;
  readonly scanBatcher: ScanBatcher;
  /** A scanned result as callers are shown it. */
  readonly shown: (result: JsonRecord) => JsonRecord;
  /** Of the tool; null for what is none. */
  readonly pin: ToolPin | null;
  /** Null where the protocol has no questions. */
  readonly asking: Asking | null;
  readonly send: (leg: ToolLeg, extra: JsonRecord) => Promise<UpstreamToolAnswer>;
};

/** What goes with a request to its server, whatever it asks. */
export type ToolLeg = Omit<UpstreamToolCall, "name" | "arguments" | "extra" | "inputSchema" | "isTask">;

/** Log messages of one call that its caller is told, and UTF-16 units of one: more is left out. */
const MAX_LOGGED = 100;
const MAX_LOGGED_SIZE = 16_384;

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
  /** Progress and log messages that are still scanned. */
  private telling: Promise<void> | null = null;
  private logged: LogFacts = { told: 0, left_out: 0, blocked: 0 };
  /** Log messages that were taken in, scanned or not yet. */
  private heard = 0;

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
    const { params, request, governed, pin } = this.passage;
    this.call.gate.judgeTrace();
    await this.call.gate.attachConversation(request.conversation);
    await governed.reserve();
    await this.inTurn(params.texts, () => this.call.gate.scan(params.texts, "input"));
    const questions = this.questions();
    await questions?.open();
    const approved = await governed.assertApproved(pin, questions?.approved ?? null);
    if (questions) questions.approved = approved;
    const { answer, requestState } = await this.send(questions);
    if (this.telling) await this.telling;
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

  private questions(): CallQuestions | null {
    const { asking } = this.passage;
    if (asking === null) return null;
    const { needs, ...whose } = asking;
    const passage = {
      ...this.passage,
      ...whose,
      begun: () => this.begin(),
      onProgress: this.onProgress,
      log: this.log,
    };
    return new CallQuestions(this.call, passage, needs);
  }

  /** Null where the caller wants none. */
  private get log(): LogListener | null {
    const { log } = this.passage.request;
    return log && { level: log.level, tell: (message) => this.hear(message) };
  }

  /** Null where the caller wants none. */
  private get onProgress(): ((progress: Unchecked<ProgressNotificationParams>) => void) | null {
    return this.passage.request.onProgress && ((progress) => this.progress(progress));
  }

  private async send(questions: CallQuestions | null): Promise<CallOutcome> {
    const { params, request, deadline, silenceMs, send, pin } = this.passage;
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
        const answer = await send({ ...leg, signal: ending, onProgress: this.onProgress, log: this.log }, params.extra);
        if (asksBack(answer)) throw this.asksInVain();
        return { answer, requestState: null };
      }
      const outcome = await questions.run(({ extra, onProgress: passOn, ...own }) =>
        send({ ...leg, ...own, onProgress: request.onProgress && passOn }, extra),
      );
      // A tool's result can say so; others cannot.
      if (pin === null && request.dialect !== "2026" && isUnfinished(outcome.answer)) throw this.asksInVain();
      return outcome;
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
    this.pass(params, (isPassed) => isPassed && this.tell(() => this.passage.request.onProgress?.(params)));
  }

  /** A log message, as progress. What its caller does not want, or is too much, costs nothing. */
  private hear({ level: said, logger, data }: Unchecked<LoggingMessageNotificationParams>): void {
    const { log } = this.passage.request;
    const level = logLevelOf(said);
    if (!log || level === null || !reaches(level, log.level)) return;
    // All servers log to one client: it is told whose message it is.
    const whose = typeof logger === "string" ? `${this.passage.slug}/${logger}` : this.passage.slug;
    const message = { level, logger: whose, data: data ?? null };
    if (this.heard >= MAX_LOGGED || isLongerThan(message, MAX_LOGGED_SIZE)) {
      this.noteLogged("left_out");
      return;
    }
    this.heard += 1;
    this.pass(message, (isPassed) => {
      this.noteLogged(isPassed ? "told" : "blocked");
      if (isPassed) this.tell(() => log.tell(message));
    });
  }

  private noteLogged(outcome: keyof LogFacts): void {
    this.logged = { ...this.logged, [outcome]: this.logged[outcome] + 1 };
    const { context } = this.call;
    if (context.tool) context.tool = { ...context.tool, logged: this.logged };
  }

  /** Scans what is told beside the answer, one after the other. */
  private pass(params: JsonRecord, then: (isPassed: boolean) => void): void {
    const passed = this.telling ? this.telling.then(() => this.isPassed(params)) : this.isPassed(params);
    if (typeof passed === "boolean") {
      then(passed);
      return;
    }
    const told = passed.then(then).then(() => {
      if (this.telling === told) this.telling = null;
    });
    this.telling = told;
    // The call awaits it and meets its failure there.
    told.catch(() => undefined);
  }

  private tell(say: () => void): void {
    // The call meets a failure to write the record before it answers.
    this.begin().then(say, () => undefined);
  }

  private asksInVain(): ToolFailure {
    return new ToolFailure(
      "garbage",
      `${this.passage.slug} asks its user something, which cannot be answered here.`,
      false,
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
  answer.kind === "error" ? answer.code === PAGES_REQUIRED : isUnfinished(answer);

const isUnfinished = (answer: UpstreamToolAnswer): boolean =>
  answer.kind === "result" && answer.result["resultType"] !== undefined && answer.result["resultType"] !== "complete";

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
