import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import type { CallRequest } from "#features/tools/dialect/port";
import { type CallParams, MAX_STATE } from "#features/tools/params";
import type { CallDeadline } from "#guard/call-deadline";
import type { GuardedCall } from "#guard/guarded-call";
import type { QuestionFacts } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import type { ToolServer } from "#model/tools/tool";
import { Cancellation, type CancelSignal, eitherOf } from "#platform/cancellation";
import type { Clock } from "#platform/clock";
import type { SealedIds } from "#platform/sealed-id";
import { slices } from "#platform/slices";
import { Walk } from "#scan/texts/text-walk";
import { type QuestionListener, type QuestionReply, ToolFailure, type UpstreamToolAnswer } from "#upstream/tool-port";
import type { HeldLegs } from "./held-legs";
import { Leg, type LegCall, type LegHolder } from "./leg";
import { answerOf, type ClientAnswer } from "./open-questions";
import { introduced, judged, type Question, type RefusedQuestion, refusalReply, refusalText } from "./question";

export type QuestionNeeds = {
  readonly held: HeldLegs;
  /** Names this one among the hub's. */
  readonly process: string;
  /** The same in every process of the hub. */
  readonly states: SealedIds;
  readonly now: Clock;
  /** How long a person may take, milliseconds. */
  readonly waitMs: number;
  /** Where questions in URL mode may send people, at every server. */
  readonly hosts: readonly string[];
};

type Passage = {
  readonly caller: TokenPrincipal;
  readonly server: ToolServer;
  /** What answers are bound to, beside caller and server. */
  readonly subject: readonly string[];
  readonly params: CallParams;
  readonly request: Pick<CallRequest, "questions">;
  readonly deadline: CallDeadline;
  readonly jsonDepth: number;
  /** Resolves when it is on record that the call is open: nothing is told to the caller before. */
  readonly begun: () => Promise<void>;
  /** Passes scanned progress on; null when the caller asked for none. */
  readonly onProgress: LegHolder["onProgress"];
  /** The same of log messages. */
  readonly log: LegHolder["log"];
};

/** What is sent to the server: `null` questions where nobody can answer any. */
export type SendLeg = (
  leg: Omit<LegCall, "questions"> & { readonly questions: QuestionListener | null; readonly extra: JsonRecord },
) => Promise<UpstreamToolAnswer>;

export type CallOutcome = {
  readonly answer: UpstreamToolAnswer;
  /** For a result that asks: what its caller sends back with the answers. Opaque to them. */
  readonly requestState: string | null;
};

/** Of one call, repetitions with answers included. */
const MAX_QUESTIONS = 10;
/** UTF-16 units of a server's own state: sealed, it still fits into what a caller may bring back. */
const MAX_SERVER_STATE = 32_768;
const INPUT_REQUIRED = "input_required";
const ELICIT = "elicitation/create";
/** `URLElicitationRequiredError`. */
export const PAGES_REQUIRED = -32_042;
const NO_PAGE: RefusedQuestion = { mode: "url", host: null, reason: "invalid" };

/** What a caller of 2026-07-28 brings back, sealed for its token and the tool. */
type State = {
  /** Unix milliseconds of when it was asked. */
  readonly at: number;
  readonly asked: number;
  /** The server's own state; null for none. */
  readonly server: string | null;
  /** The call that waits at a server of the 2025 era; null where the server keeps nothing. */
  readonly held: string | null;
  /** That a person approved this very call: its hash, and the id that is good for one repetition. Null for no approval. */
  readonly approved: { readonly call: string; readonly repeat: string } | null;
  readonly questions: readonly { readonly key: string; readonly mode: "form" | "url"; readonly host: string | null }[];
};

/** The one question that a server of the 2025 era has open. */
const HELD_KEY = "question";

/** What a server asks the user during one call, between a client and a server of either era (elicitation). */
export class CallQuestions {
  private asked = 0;
  /** How long the user was waited for, milliseconds. */
  waitedMs = 0;
  private readonly facts: QuestionFacts[] = [];
  /** Our ids of questions in URL mode, by the server's. */
  private readonly pages = new Map<string, string>();
  private state: State | null = null;
  /** The hash of the call where a person approved it. */
  approved: string | null = null;

  constructor(
    private readonly call: GuardedCall,
    private readonly passage: Passage,
    private readonly deps: QuestionNeeds,
  ) {}

  /** Opens what the caller brought back. Throws as `run`. */
  async open(): Promise<void> {
    this.state = await this.opened();
    const { approved = null } = this.state ?? {};
    // One approval is for one call: without this, the same state would let it through again and again.
    if (approved && this.deps.held.takeRepeat(approved.repeat)) this.approved = approved.call;
  }

  /** After `open`. Throws what the call throws; `content_filter` for a question or answer that may not pass, `invalid_value`. */
  async run(send: SendLeg): Promise<CallOutcome> {
    const { request, params, deadline, onProgress, log } = this.passage;
    const { state } = this;
    const extra = extraOf(params.extra, state);
    const begin = (more: JsonRecord) => Leg.begin(log?.level ?? null, (leg) => send({ ...leg, extra: more }));
    if (request.questions.kind === "none") {
      const leg = { signal: deadline.ending, onProgress: onProgress ?? (() => {}), log };
      const answer = await send({ ...leg, questions: null, extra });
      this.assertPages(answer);
      return { answer, requestState: null };
    }
    let leg = state === null || state.held === null ? begin(extra) : await this.resumed(state, state.held);
    // A server may ask to be called again without a question, too: not without end.
    for (let round = 0; ; round += 1) {
      const next = await this.follow(leg);
      if ("answer" in next) return next;
      if (round === MAX_QUESTIONS) throw refusedBy({ mode: "form", host: null, reason: "too_many" });
      leg = begin({ ...extra, ...next.retry });
    }
  }

  /** To its answer, to a question that the caller is asked by a result, or to another try with the answers. */
  private async follow(leg: Leg): Promise<CallOutcome | { readonly retry: JsonRecord }> {
    const { request, deadline, onProgress, log } = this.passage;
    const onCompleted = (id: string): void => {
      const own = this.pages.get(id);
      if (own !== undefined && request.questions.kind === "stream") request.questions.completed(own);
    };
    const release = leg.attach({ signal: deadline.ending, onProgress, log, onCompleted });
    try {
      for (;;) {
        const outcome = await leg.next();
        if (outcome.kind === "answer") return await this.answered(outcome.answer);
        const reply = await this.replyTo(outcome.params, leg);
        if (!("mode" in reply)) leg.reply(reply);
        else return this.heldWith(leg, reply);
      }
    } catch (error) {
      leg.end();
      throw error;
    } finally {
      release();
    }
  }

  /** The reply to a question of a server of the 2025 era, or the question itself where the caller is asked by a result. */
  private async replyTo(params: JsonRecord, leg: Leg): Promise<QuestionReply | Question> {
    const question = this.judged(params);
    if ("reason" in question) return refusalReply(question.reason);
    const shown = introduced(question, this.passage.server.slug);
    try {
      await this.scan(shown, "output");
    } catch (error) {
      if (!(error instanceof GuardError) || error.code !== "content_filter") throw error;
      this.refused({ ...question, reason: "guard" });
      return refusalReply("guard");
    }
    const { questions } = this.passage.request;
    if (questions.kind !== "stream") return { ...question, params: shown };
    const answer = await this.ask({ ...question, params: shown }, leg.answered);
    if (answer === "error") return { kind: "error", code: -32_603, message: "The client could not ask the user." };
    return { kind: "result", result: resultOf(answer) };
  }

  /** Asks on the call's own stream, until `withdrawn` aborts. The answer is scanned. */
  private async ask(question: Question, withdrawn: CancelSignal): Promise<ClientAnswer> {
    const { request, deadline, begun } = this.passage;
    if (request.questions.kind !== "stream") return null;
    await begun();
    const since = performance.now();
    deadline.suspend();
    const over = eitherOf(deadline.ending, withdrawn);
    const asked = request.questions.ask(this.withOwnId(question), this.deps.waitMs, over.signal);
    const answer = await asked.finally(() => {
      over.end();
      deadline.resume();
    });
    const unanswered = over.signal.aborted ? "cancel" : "timeout";
    const outcome = answer === null ? unanswered : answer === "error" ? "error" : answer.action;
    const ms = performance.now() - since;
    this.waitedMs += ms;
    this.note(question, outcome, ms);
    if (answer !== null && answer !== "error" && answer.content) await this.scan(answer.content, "input");
    return answer;
  }

  /** The server's own id would let it name a question of another server. */
  private withOwnId({ mode, params }: Question): JsonRecord {
    if (mode === "form") return params;
    const own = crypto.randomUUID();
    const { elicitationId } = params;
    if (typeof elicitationId === "string") this.pages.set(elicitationId, own);
    return { ...params, elicitationId: own };
  }

  private heldWith(leg: Leg, question: Question): CallOutcome {
    const { held, waitMs } = this.deps;
    const id = held.hold(leg, this.passage.caller.token.id, waitMs);
    if (id === null) throw new GuardError("rate_limit_exceeded", "Too many calls wait for an answer of a user.");
    this.note(question, "asked", 0);
    const { elicitationId: _theirs, ...params } = question.params;
    const { mode, host } = question;
    return {
      answer: {
        kind: "result",
        result: { resultType: INPUT_REQUIRED, inputRequests: { [HELD_KEY]: { method: ELICIT, params } } },
      },
      requestState: this.sealed({ server: null, held: id, questions: [{ key: HELD_KEY, mode, host }] }),
    };
  }

  private async resumed({ questions }: State, id: string): Promise<Leg> {
    const { caller, params } = this.passage;
    const responses = params.extra["inputResponses"];
    const answer = answerOf(isRecord(responses) ? responses[HELD_KEY] : undefined);
    if (typeof answer === "string") {
      throw invalid(`inputResponses.${HELD_KEY}`, "is no answer to the question that is open");
    }
    const leg = this.deps.held.take(id, caller.token.id);
    if (!leg) throw invalid("requestState", "is of a call that no longer waits here. Send the request again");
    leg.reply({ kind: "result", result: resultOf(answer) });
    for (const question of questions) this.note(question, answer.action, 0);
    return leg;
  }

  /** What a server of 2026-07-28 answered: it may ask, too. */
  private async answered(answer: UpstreamToolAnswer): Promise<CallOutcome | { readonly retry: JsonRecord }> {
    const { request, server: whose } = this.passage;
    this.assertPages(answer);
    if (answer.kind === "error" || answer.result["resultType"] !== INPUT_REQUIRED)
      return { answer, requestState: null };
    const { inputRequests, requestState, ...rest } = answer.result;
    const requests = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
    const server = typeof requestState === "string" ? requestState : null;
    if (server !== null && server.length > MAX_SERVER_STATE) throw stateTooLong();
    const questions: { readonly key: string; readonly question: Question | RefusedQuestion }[] = [];
    for (const [key, asked] of requests) {
      if (!isRecord(asked) || asked["method"] !== ELICIT) continue;
      // Each may be read for milliseconds.
      if (questions.length > 0 && questions.length <= MAX_QUESTIONS) await slices.turn();
      questions.push({ key, question: this.judged(isRecord(asked["params"]) ? asked["params"] : {}) });
    }
    const open = questions.map(({ key, question }) => {
      // Such a server keeps nothing that could wait for word of it: the call ends, and its caller learns why.
      if ("reason" in question) throw refusedBy(question);
      return { key, question, shown: introduced(question, whose.slug) };
    });
    if (request.questions.kind === "stream") {
      if (open.length < requests.length) return { answer, requestState: null };
      const responses: JsonRecord = {};
      for (const { key, question, shown } of open) {
        await this.scan(shown, "output");
        const reply = await this.ask({ ...question, params: shown }, new Cancellation());
        responses[key] = resultOf(reply === "error" ? null : reply);
      }
      return { retry: { inputResponses: responses, ...(server !== null && { requestState: server }) } };
    }
    for (const { question } of open) this.note(question, "asked", 0);
    const shown = Object.fromEntries(open.map(({ key, shown: params }) => [key, { method: ELICIT, params }]));
    const asking = isRecord(inputRequests) ? { inputRequests: { ...inputRequests, ...shown } } : {};
    const keys = open.map(({ key, question: { mode, host } }) => ({ key, mode, host }));
    return {
      answer: { kind: "result", result: { ...rest, ...asking } },
      requestState: this.sealed({ server, held: null, questions: keys }),
    };
  }

  private judged(params: JsonRecord): Question | RefusedQuestion {
    const { request } = this.passage;
    const modes = request.questions.kind === "none" ? { form: false, url: false } : request.questions.modes;
    this.asked += 1;
    let question: Question | RefusedQuestion =
      this.asked > MAX_QUESTIONS
        ? { mode: "form", host: null, reason: "too_many" }
        : judged(params, {
            modes,
            hosts: this.hosts,
          });
    if (!("reason" in question) && this.isTooDeep(params)) {
      question = { mode: question.mode, host: question.host, reason: "invalid" };
    }
    if ("reason" in question) this.refused(question);
    return question;
  }

  /** What no scan would reach is not shown. */
  private isTooDeep(params: JsonRecord): boolean {
    const walk = new Walk(this.passage.jsonDepth);
    walk.fields(params, "inputRequests", "tool_result", 1);
    return walk.gaps.some(({ reason }) => reason === "too_deep");
  }

  /** An error that wants pages opened first (2025-11-25): its caller's client shows them. Throws `content_filter`. */
  private assertPages(answer: UpstreamToolAnswer): void {
    if (answer.kind !== "error" || answer.code !== PAGES_REQUIRED) return;
    const pages = isRecord(answer.data) ? answer.data["elicitations"] : null;
    for (const params of Array.isArray(pages) ? pages.slice(0, MAX_QUESTIONS + 1) : []) {
      this.asked += 1;
      const rules = { modes: { form: false, url: true }, hosts: this.hosts };
      const page =
        isRecord(params) && this.asked <= MAX_QUESTIONS ? judged({ ...params, mode: "url" }, rules) : NO_PAGE;
      if ("reason" in page) {
        this.refused(page);
        throw refusedBy(page);
      }
      this.note(page, "asked", 0);
    }
  }

  private get hosts(): readonly string[] {
    const { server } = this.passage;
    return [...this.deps.hosts, ...server.elicitation_hosts, ...hostOf(server.url)];
  }

  private refused({ mode, host, reason }: RefusedQuestion): void {
    // A server that goes on asking fills no record.
    if (this.asked <= MAX_QUESTIONS + 1) this.note({ mode, host }, "refused", 0, reason);
  }

  private note(
    { mode, host }: { readonly mode: "form" | "url"; readonly host: string | null },
    outcome: QuestionFacts["outcome"],
    ms: number,
    reason?: QuestionFacts["reason"],
  ): void {
    const { context } = this.call;
    this.facts.push({
      mode,
      ...(host !== null && { host }),
      outcome,
      ...(reason !== undefined && { reason }),
      ms: Math.round(ms),
    });
    if (context.tool) context.tool = { ...context.tool, questions: [...this.facts] };
  }

  /** Puts redactions in place. Throws `content_filter`. */
  private async scan(texts: JsonRecord, stage: "input" | "output"): Promise<void> {
    const walk = new Walk(this.passage.jsonDepth);
    walk.fields(
      texts,
      stage === "input" ? "inputResponses" : "inputRequests",
      stage === "input" ? "tool_args" : "tool_result",
      1,
    );
    await this.call.gate.scan(walk, stage);
  }

  private sealed(state: Pick<State, "server" | "held" | "questions">): string {
    const { approved: call } = this;
    const approved = call === null ? null : { call, repeat: this.deps.held.allowRepeat() };
    const whole: State = { ...state, approved, at: this.deps.now(), asked: this.asked };
    const sealed = this.deps.states.seal(this.boundTo, JSON.stringify(whole));
    // In front, so that another process knows whom to pass it on to.
    const whose = state.held === null && approved === null ? sealed : `${this.deps.process}.${sealed}`;
    if (whose.length > MAX_STATE) throw stateTooLong();
    return whose;
  }

  /** Null where the call brings none back. Throws `invalid_value` for what was not given to this token for this tool. */
  private async opened(): Promise<State | null> {
    const { state: sealed, extra } = this.passage.params;
    if (sealed === null) return null;
    const opened = this.deps.states.open(this.boundTo, sealed.slice(sealed.indexOf(".") + 1));
    const state = opened === null ? null : stateOf(parseJson(opened));
    if (state === null || this.deps.now() - state.at > this.deps.waitMs) {
      // Any text may be in it: one that may not pass ends the call as in other places.
      if (state === null) await this.scan({ requestState: sealed }, "input");
      throw invalid("requestState", "is not one that this gateway gave to you for this request a short while ago");
    }
    this.asked = state.asked;
    const responses = isRecord(extra["inputResponses"]) ? extra["inputResponses"] : {};
    if (state.held === null) {
      for (const question of state.questions) {
        const answer = answerOf(responses[question.key]);
        if (answer === "too_large") throw invalid(`inputResponses.${question.key}`, "is too long");
        this.note(question, typeof answer === "string" ? "error" : answer.action, this.deps.now() - state.at);
      }
    }
    return state;
  }

  /** The answer is good with the token that got the question, for the same tool. */
  private get boundTo(): string {
    const { caller, server, subject } = this.passage;
    return JSON.stringify([caller.token.id, server.id, ...subject]);
  }
}

const resultOf = (answer: Exclude<ClientAnswer, "error">): JsonRecord => {
  if (answer === null) return { action: "cancel" };
  return answer.content === null ? { action: answer.action } : { action: answer.action, content: answer.content };
};

/** Further parameters as the server gets them: with its own state. */
const extraOf = (extra: JsonRecord, state: State | null): JsonRecord =>
  state === null || state.server === null ? extra : { ...extra, requestState: state.server };

const hostOf = (url: string | null): readonly string[] => (url === null ? [] : [new URL(url).host]);

const refusedBy = ({ reason }: RefusedQuestion): GuardError =>
  new GuardError("content_filter", refusalText(reason), {
    extra: { guard: { stage: "output", action: "block", layer: "gateway", rule: `elicitation.${reason}` } },
  });

const stateOf = (value: unknown): State | null => {
  if (!isRecord(value)) return null;
  const { at, asked, server, held, approved, questions } = value;
  const isText = (text: unknown): text is string | null => text === null || typeof text === "string";
  if (typeof at !== "number" || typeof asked !== "number" || !isText(server) || !isText(held)) return null;
  if (!Array.isArray(questions)) return null;
  const known = questions.filter(isRecord).map(({ key, mode, host }) => ({
    key: String(key),
    mode: mode === "url" ? ("url" as const) : ("form" as const),
    host: typeof host === "string" ? host : null,
  }));
  const { call, repeat } = isRecord(approved) ? approved : {};
  const passed = typeof call === "string" && typeof repeat === "string" ? { call, repeat } : null;
  return { at, asked, server, held, approved: passed, questions: known };
};

const stateTooLong = () => new ToolFailure("garbage", "It sent a state too long for a question.", true);

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `params.${param} ${problem}.`, { param: `params.${param}` });
