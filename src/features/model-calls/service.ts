import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { type JsonDocument, readJson, readJsonSliced, SMALL_TEXT } from "#core/json/json-reader";
import { stringifySliced } from "#core/json/json-writer";
import { noteTools } from "#guard/answered-calls";
import type { Lightened, ModelApi, TurnedOn } from "#guard/apis/api";
import type { ApiStream } from "#guard/apis/api-stream";
import { type KeptApi, keptPath } from "#guard/apis/responses-kept";
import type { CallContext } from "#guard/call-context";
import { CallDeadline } from "#guard/call-deadline";
import { callerTraceIn } from "#guard/call-trace";
import type { ConversationMemory, Talk } from "#guard/conversations";
import type { Dispatched, DispatchedCall, Dispatcher } from "#guard/dispatcher";
import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import type { CallLimiter, Reservation } from "#guard/limits/limiter";
import { type BudgetLimiter, unpriced } from "#guard/money/budgets";
import type { OpenCalls } from "#guard/open-calls";
import type { Follower, RecentValues } from "#guard/recent-values";
import { ScanBatcher } from "#guard/scan-batcher";
import { StreamGuard } from "#guard/stream/guard";
import { StreamRelay } from "#guard/stream/relay";
import type { TokenTables } from "#guard/token-tables/tables";
import type { StreamApprovals, ToolApprovalGate } from "#guard/tool-approval-gate";
import { mostOf } from "#model/price";
import type { TokenPrincipal } from "#model/principal";
import { type Pause, runSteps, runStepsSliced, slices } from "#platform/slices";
import { chainOf, Provenance } from "#policy/provenance/provenance";
import { type Slot, type Texts, type Walk, walkSliced } from "#scan/texts/text-walk";
import type { TokenTable } from "#scan/texts/token-ids";
import type { UpstreamMethod } from "#upstream/port";
import {
  enforceKept,
  enforcingProfile,
  serverToolsUsed,
  type TokensWanted,
  tokensWanted,
  turnedOnIn,
} from "./governed";
import { keptQuery, retrievalOf, slotsOf, writtenQuery } from "./kept-query";
import type { ProviderState } from "./provider-state";
import type { CallResult, GuardNote } from "./result";
import { subAgentOf } from "./sub-agent";

export type ModelCallLimits = {
  readonly jsonDepth: number;
  readonly idleMs: number;
  /** Longest answer of a provider, in bytes as unpacked. */
  readonly answerBytes: number;
  readonly totalMs: number;
  readonly keepAliveMs: number;
};

type ModelCallServiceNeeds = {
  readonly guard: GuardNeeds;
  readonly dispatcher: Dispatcher;
  readonly openCalls: OpenCalls;
  readonly limiter: CallLimiter;
  readonly budgetLimiter: Pick<BudgetLimiter, "isUnused" | "of" | "reserve">;
  readonly toolApprovals: ToolApprovalGate;
  readonly conversations: ConversationMemory;
  readonly recentValues: RecentValues;
  readonly tokenTables: Pick<TokenTables, "of">;
  readonly providerState: ProviderState;
  readonly limits: ModelCallLimits;
};

type RequestCheck = {
  check(body: unknown): JsonRecord;
  /** The same in slices. */
  checkInSlices(body: unknown, pause: Pause): Promise<JsonRecord>;
};

/** What of an API the service is given with each call. */
export type CallApi = { readonly api: ModelApi; readonly check: RequestCheck };

/** A call as it came in. */
export type ModelCall = {
  readonly id: string;
  /**
   * The parsed body, of a long one a promise; throws what was wrong with it: `invalid_json`, `request_too_large`,
   * `client_closed`.
   */
  readonly body: () => unknown | Promise<unknown>;
  /** Bytes of the body, as it was announced; not a number where it was not. */
  readonly length: number;
  /** The client's header of a lower-case name. */
  readonly header: (name: string) => string | null;
  readonly clientRetry: number;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
};

/** A call about what a provider keeps, as it came in. */
export type KeptCall = Pick<ModelCall, "id" | "header" | "clientRetry" | "signal"> & {
  readonly responseId: string;
  readonly query: URLSearchParams;
};

/** A call on its way. */
type Asked = Pick<ModelCall, "header"> & {
  readonly call: GuardedCall;
  readonly caller: TokenPrincipal;
  readonly api: ModelApi;
};

/** What a provider is sent; without a method a request that is posted. */
type Sent = Pick<DispatchedCall, "path" | "request" | "model"> & { readonly method?: UpstreamMethod };

const NO_BODY = { request: {}, model: "" };

type Streamed = {
  readonly deadline: CallDeadline;
  readonly events: ApiStream;
  readonly onEnd: () => void;
  /** Of an agent's tool calls; a person's own are not governed. */
  readonly approvals: StreamApprovals | null;
};

const stating = ({ call: { context }, caller, api }: Asked) => ({ context, caller, api });

const NO_LIMITS = {};
const NO_TOKENS: TokensWanted = { prompt: 0, answer: 0 };
const NONE = (): null => null;
const UNMET = async (): Promise<unknown> => new Error("nobody holds calls here");

/** A call: scan the request, record it, forward it, scan the answer, record it. */
export class ModelCallService {
  private readonly scanBatcher: ScanBatcher;

  constructor(private readonly deps: ModelCallServiceNeeds) {
    this.scanBatcher = new ScanBatcher(deps.openCalls);
  }

  /**
   * Answers one call to a model. Every way it can end is recorded before this returns or throws; everything thrown is a
   * `GuardError`.
   */
  complete(caller: TokenPrincipal, { api, check }: CallApi, request: ModelCall): Promise<CallResult> {
    return this.run(caller, api, request, async (asked, deadline) => {
      const body = await this.scanBatcher.run(request.length, () => this.checkRequest(asked, check, request));
      return asked.call.context.stream ? this.stream(asked, body, deadline) : this.whole(asked, body, deadline);
    });
  }

  /** The same of a call about a response that its provider keeps. */
  kept(caller: TokenPrincipal, api: KeptApi, request: KeptCall): Promise<CallResult> {
    return this.run(caller, api, request, async (asked, deadline) => {
      const { call } = asked;
      call.gate.assertNotStopped();
      call.gate.judgeTrace();
      enforceKept(call, api);
      await this.reserve(asked, NO_TOKENS);
      const { isStream, after, query } = retrievalOf(keptQuery(request.query, api.query));
      call.context.stream = isStream;
      const scanned = call.gate.scan({ slots: slotsOf(query), gaps: [] }, "input");
      if (typeof scanned !== "boolean") await scanned;
      const id = this.deps.providerState.enterAt(stating(asked), request.responseId);
      const path = keptPath(api, id) + writtenQuery(query);
      const send = () => this.send(asked, { ...NO_BODY, method: api.method, path }, deadline);
      return isStream ? this.streamed(asked, send, deadline, after) : this.answeredBy(asked, await send(), deadline);
    });
  }

  private async run(
    caller: TokenPrincipal,
    api: ModelApi,
    request: Pick<ModelCall, "id" | "header" | "clientRetry" | "signal">,
    work: (asked: Asked, deadline: CallDeadline) => Promise<CallResult>,
  ): Promise<CallResult> {
    this.deps.guard.auditor.assertAcceptingWork();
    const begun = { caller, kind: api.kind, id: request.id };
    const call = beginCall(this.deps.guard, begun, () => callerTraceIn(request.header));
    const { context, record, gate } = call;
    context.clientRetry = request.clientRetry;
    context.hasRefusal = api.errors.refusalOf !== null;
    context.toolInput = api.answer.toolInput;
    context.repeated = api.answer.repeated ?? null;
    const { openCalls, limits } = this.deps;
    const deadline = new CallDeadline({
      client: request.signal,
      openCalls,
      totalMs: limits.totalMs,
      noteOpen: (now) => record.noteOpen(now),
      stopped: () => gate.stopped(),
      subject: () => context.subject,
    });
    context.signal = () => deadline.signal;
    const asked = { call, caller, api, header: request.header };
    try {
      return await work(asked, deadline);
    } catch (error) {
      deadline.end();
      const failed = await record.fail(deadline.explain(error));
      const isBlock = failed.code === "content_filter" && context.answersBlockAsCompletion;
      const refusal = isBlock ? this.refusal(asked, failed) : null;
      if (refusal !== null) return refusal;
      throw failed;
    }
  }

  /** A block as an answer; null where the API has none. */
  private refusal({ call, caller, api, header }: Asked, failed: GuardError): CallResult | null {
    const { id, model, stream, wantsUsage } = call.context;
    const created = Math.floor(this.deps.guard.clock() / 1_000);
    const refused = { id, model: model ?? "unknown", stream, wantsUsage, created, asksAgain: asksAgain(api, header) };
    const text = api.errors.refusalOf?.(failed, refused) ?? null;
    if (text === null) return null;
    const note = this.noteOf(call, caller);
    if (!stream) return { kind: "whole", status: 200, text, note };
    return { kind: "stream", body: new Blob([text]).stream(), note };
  }

  /** Everything that can refuse the call before a provider hears of it. */
  private checkRequest(asked: Asked, check: RequestCheck, request: ModelCall): JsonRecord | Promise<JsonRecord> {
    const { call } = asked;
    call.gate.assertNotStopped();
    const parsed = request.body();
    if (!(parsed instanceof Promise)) return this.judged(asked, check.check(parsed));
    call.context.isLong = true;
    return parsed.then((body) => check.checkInSlices(body, slices.begin())).then((body) => this.judged(asked, body));
  }

  private judged(asked: Asked, body: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const { call, api } = asked;
    call.context.stream = api.stream !== null && api.request.wantsStream(body);
    call.context.wantsUsage = api.request.wantsUsage(body);
    const named = this.nameIn(asked, body);
    return named ? named.then(() => this.govern(asked, body)) : this.govern(asked, body);
  }

  /** Once it is known what it asks for: the profile, its limits, and its texts. */
  private govern(asked: Asked, body: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const { call } = asked;
    call.gate.assertNotStopped();
    if (!call.context.isLong) {
      runSteps(this.governing(asked, body));
      return this.readAs(asked, body);
    }
    return slices
      .turn()
      .then(() => runStepsSliced(this.governing(asked, body), slices.begin()))
      .then(() => this.readAs(asked, body));
  }

  private *governing(asked: Asked, body: JsonRecord): Generator<undefined, void> {
    const { call, api } = asked;
    const turnedOn = yield* turnedOnIn(api.request, body);
    call.context.serverTools = serverToolsUsed(turnedOn, false);
    yield;
    yield* enforcingProfile(call, api.request, body, turnedOn);
    yield;
    yield* this.deps.providerState.entering(stating(asked), body);
  }

  private readAs(asked: Asked, body: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const { call, api } = asked;
    const encoding = api.request.encodingOf?.(body) ?? null;
    if (encoding === null) return this.read(asked, body, null);
    const table = this.deps.tokenTables.of(encoding).catch((error: unknown) => {
      throw call.gate.scannerFailed(error);
    });
    return table.then((tokens) => this.read(asked, body, tokens));
  }

  private read(asked: Asked, body: JsonRecord, tokens: TokenTable | null): JsonRecord | Promise<JsonRecord> {
    const walk = asked.api.request.walk(body, this.deps.limits.jsonDepth, tokens);
    if (!asked.call.context.isLong) return this.scanRequest(asked, body, atOnce(walk));
    return walkSliced(walk, nextSlice)
      .then((texts) => slices.turn().then(() => texts))
      .then((texts) => this.scanRequest(asked, body, texts));
  }

  private scanRequest(asked: Asked, body: JsonRecord, texts: Texts): JsonRecord | Promise<JsonRecord> {
    // Serialising and scanning both walk the whole body: what is nested without end goes no further.
    if (isTooDeep(texts)) {
      throw new GuardError("invalid_value", `The body is nested deeper than ${this.deps.limits.jsonDepth} levels.`);
    }
    const chars = charsOf(texts);
    const reserved = this.reserve(
      asked,
      tokensWanted(asked.api.request, body, asked.call.context.rules.effective, chars),
    );
    return reserved ? reserved.then(() => this.scanned(asked, body, texts)) : this.scanned(asked, body, texts);
  }

  private scanned(asked: Asked, body: JsonRecord, texts: Texts): JsonRecord | Promise<JsonRecord> {
    const remember = () => this.remember(asked, body);
    if (asked.call.context.isLong) {
      return slices
        .turn()
        .then(() => asked.call.gate.scan(texts, "input"))
        .then(() => slices.turn())
        .then(remember);
    }
    const scanned = asked.call.gate.scan(texts, "input");
    return typeof scanned === "boolean" ? remember() : scanned.then(remember);
  }

  private remember(asked: Asked, body: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const { context } = asked.call;
    // Scanning turns none on, and changes their hosts alone.
    if (context.serverTools.length === 0) return this.hear(asked, body);
    const named = (turnedOn: readonly TurnedOn[]) => {
      context.serverTools = serverToolsUsed(turnedOn, true);
      return this.hear(asked, body);
    };
    const work = turnedOnIn(asked.api.request, body);
    return context.isLong ? runStepsSliced(work, slices.begin()).then(named) : named(runSteps(work));
  }

  /** What tool calls in its answer, and later ones of its conversation, are held against. */
  private hear({ call: { context }, caller, api }: Asked, body: JsonRecord): JsonRecord | Promise<JsonRecord> {
    // After redaction: a model can only repeat what it was shown.
    const speech = api.request.speechOf(body);
    const declared = () => api.request.declaredTools(body);
    // Nobody else's calls are approved, and what it keeps of a long body stays for as long as its stream.
    if (caller.agent) context.declaredTools = declared;
    const isFollowed = this.deps.recentValues.follows({ caller, rules: context.rules });
    const { jsonDepth } = this.deps.limits;
    context.provenance = Provenance.of(speech, jsonDepth, context.isLong, isFollowed ? declared : null);
    // Only agents have conversations over several APIs; a person's client sends the whole one with each call.
    if (!caller.agent || speech === null) return body;
    const { conversations, recentValues } = this.deps;
    const pause = () => (context.isLong ? slices.begin() : null);
    const who = { caller, rules: context.rules };
    const talk = context.conversation === null ? null : { ...who, conversation: context.conversation };
    const heard = [
      talk === null ? undefined : conversations.hearSpeech(talk, speech, pause()),
      recentValues.hearSpeech(who, speech, pause()),
    ].filter((one) => one !== undefined);
    const recall = () => this.recall(context, who, talk);
    const recalled = heard.length > 0 ? Promise.all(heard).then(recall) : recall();
    return recalled ? recalled.then(() => body) : body;
  }

  /** What tools said that the request no longer has, for agents whose profile goes by it. */
  private recall(context: CallContext, who: Follower, talk: Talk | null): Promise<void> | undefined {
    const { tainted_values, tainted_arguments } = context.rules.effective;
    if (tainted_values === null || tainted_arguments.value === "allow") return undefined;
    const own = talk === null ? null : this.deps.conversations.indexOf(talk);
    const recent = this.deps.recentValues.originsOf(who);
    if (own instanceof Promise || recent instanceof Promise) {
      return Promise.all([own, recent]).then((known) => {
        context.origins = chainOf(known);
      });
    }
    context.origins = chainOf([own, recent]);
    return undefined;
  }

  /** Throws `rate_limit_exceeded`, `insufficient_quota`, and `model_not_allowed` for one without a price under a budget. */
  private reserve(asked: Asked, wanted: TokensWanted): Promise<void> | undefined {
    const limited = this.reserveLimits(asked, wanted.prompt + wanted.answer);
    if (this.deps.budgetLimiter.isUnused && asked.call.context.rules.effective.budgets.length === 0) return limited;
    return limited ? limited.then(() => this.reserveCost(asked, wanted)) : this.reserveCost(asked, wanted);
  }

  private reserveCost({ call: { context }, caller, api }: Asked, wanted: TokensWanted): Promise<void> | undefined {
    const { dispatcher, budgetLimiter, guard } = this.deps;
    const budgets = budgetLimiter.of(
      caller,
      context.rules.effective.budgets.map(({ value }) => value),
    );
    const { model } = context;
    if (budgets.length === 0 || model === null) return undefined;
    // Whichever provider takes it.
    const amount = dispatcher.route(model, api.name).reduce((most, { name, aliases = {} }) => {
      const named = Object.hasOwn(aliases, model) ? (aliases[model] ?? model) : model;
      const price = guard.priceOf(name, named);
      if (price === null) throw unpriced(model, name);
      return Math.max(most, mostOf(wanted.prompt, wanted.answer, price));
    }, 0);
    if (amount === 0) return undefined;
    return budgetLimiter.reserve(budgets, amount).then((spending) => {
      context.spending = spending;
    });
  }

  private reserveLimits(
    { call: { context, record }, caller: { agent } }: Asked,
    tokens: number,
  ): Promise<void> | undefined {
    if (!agent) return undefined;
    const { effective } = context.rules;
    const took = this.deps.limiter.reserve({
      agent_id: agent.id,
      limits: effective.limits,
      watched: effective.watched_limits,
      tokens,
      conversation: context.conversation === null ? null : { of: "models", id: context.conversation },
    });
    const take = (reservation: Reservation) => {
      context.reservation = reservation;
      for (const denial of reservation.watched) record.watches(denial, "policy.limit", "usage");
    };
    // Only where several processes serve something has to be waited for.
    if (took instanceof Promise) return took.then(take);
    take(took);
    return undefined;
  }

  /** Model and conversation are what the record repeats of a request, so they are judged before it can. */
  private nameIn({ call: { context, gate }, api, header }: Asked, body: JsonRecord): Promise<void> | undefined {
    const model: Slot = {
      param: "model",
      origin: "user",
      text: api.request.modelOf(body),
      replace: (text) => api.request.setModel(body, text),
    };
    const scanned = gate.scan({ slots: [model], gaps: [] }, "input");
    const route = () => {
      gate.judgeTrace();
      context.subAgent = subAgentOf(gate, api.request.subAgentHeaders, header);
      const named = api.request.modelOf(body);
      if (this.deps.dispatcher.route(named, api.name).length > 0) context.model = named;
    };
    const attachConversation = () => gate.attachConversation(api.request.conversationOf(header, body));
    if (typeof scanned !== "boolean") return scanned.then(attachConversation).then(route);
    const conversed = attachConversation();
    if (conversed) return conversed.then(route);
    route();
    return undefined;
  }

  private async whole(asked: Asked, body: JsonRecord, deadline: CallDeadline): Promise<CallResult> {
    return this.answeredBy(asked, await this.sendMended(asked, body, deadline), deadline);
  }

  private async answeredBy(asked: Asked, { answer, release }: Dispatched, deadline: CallDeadline): Promise<CallResult> {
    try {
      if (answer.kind === "refused") return await this.refused(asked, answer);
      if (answer.kind === "stream") {
        throw new GuardError("upstream_error", "The provider answered with a stream that was not asked for.");
      }
      return await this.answered(asked, answer.text);
    } finally {
      release();
      deadline.end();
    }
  }

  private async answered(asked: Asked, text: string): Promise<CallResult> {
    const { call, caller, api } = asked;
    const light = (await api.answer.withoutBulk?.(text, slices.begin())) ?? null;
    const json = light?.json ?? text;
    const isLong = json.length > SMALL_TEXT;
    const { value: parsed, repeated } = isLong ? await answerInSlices(json) : answerIn(json);
    if (!isRecord(parsed)) throw new GuardError("upstream_error", "The provider's answer is not a JSON object.");
    call.context.isAnswering = true;
    call.context.usage = api.answer.usageOf(parsed);
    call.context.finishReasons = [...api.answer.finishReasonsOf(parsed)];
    const walk = api.answer.walk(parsed, this.deps.limits.jsonDepth);
    const texts = isLong ? await walkSliced(walk, nextSlice) : atOnce(walk);
    if (isLong) await nextSlice();
    // As in a stream: what lies too deep to be read does not pass unread.
    if (isTooDeep(texts)) throw new GuardError("upstream_error", "The provider sent an answer nested without end.");
    const redacted = await this.scanBatcher.run(json.length, () => call.gate.scan(texts, "output"));
    if (redacted) api.answer.dropCopies(parsed);
    call.context.trace?.answered(parsed);
    // A name given twice: what was scanned is what leaves, and not the other value too.
    const hasOwnIds = isLong
      ? await this.deps.providerState.leaveInSlices(stating(asked), parsed, slices.begin())
      : this.deps.providerState.leave(stating(asked), parsed);
    const changed = redacted || repeated !== null || hasOwnIds;
    if (isLong) await nextSlice();
    const answeredCalls = api.answer.answeredCallsIn(parsed);
    noteTools(call.context, answeredCalls);
    if (caller.agent) await this.deps.toolApprovals.check(call, caller, answeredCalls);
    const sent = changed ? await written(parsed, isLong, light) : text;
    await call.record.finish("answered", 200);
    return { kind: "whole", status: 200, text: sent, note: this.noteOf(call, caller) };
  }

  /** The provider's own 4xx about the request: its words help the caller, once they have been scanned. */
  private async refused(
    { call, caller, api }: Asked,
    answer: { readonly status: number; readonly text: string },
  ): Promise<CallResult> {
    const shown = api.errors.ofProvider(parseJson(answer.text));
    const scanned = call.gate.scan(atOnce(api.answer.walk(shown, this.deps.limits.jsonDepth)), "output");
    if (typeof scanned !== "boolean") await scanned;
    await call.record.finish("upstream_error", answer.status, "upstream_rejected");
    const text = this.deps.providerState.leaveText(call.context, JSON.stringify(shown));
    return { kind: "whole", status: answer.status, text, note: this.noteOf(call, caller) };
  }

  private stream(asked: Asked, body: JsonRecord, deadline: CallDeadline): Promise<CallResult> {
    asked.api.request.prepareStream?.(body);
    return this.streamed(asked, () => this.sendMended(asked, body, deadline), deadline);
  }

  private async streamed(
    asked: Asked,
    send: () => Promise<Dispatched>,
    deadline: CallDeadline,
    after: number | null = null,
  ): Promise<CallResult> {
    const { call, caller, api } = asked;
    // Written while the provider works: the first byte tells the client that the call is served.
    const begun = call.record.begin();
    begun.catch(() => undefined);
    const { answer, release } = await send();
    const end = () => {
      release();
      deadline.end();
    };
    try {
      if (answer.kind === "refused") {
        end();
        return await this.refused(asked, answer);
      }
      if (answer.kind !== "stream" || api.stream === null) {
        throw new GuardError("upstream_error", "The provider did not answer with an event stream.");
      }
      call.context.isAnswering = true;
      await begun;
      const approvals = caller.agent ? await this.deps.toolApprovals.forStream(call, caller, caller.agent.id) : null;
      const toCaller = (event: JsonRecord) => this.deps.providerState.leave(stating(asked), event);
      const wish = { wantsUsage: call.context.wantsUsage, asksAgain: asksAgain(api, asked.header), toCaller, after };
      const events = api.stream(wish);
      return {
        kind: "stream",
        body: this.relay(asked, answer.body, { deadline, events, onEnd: end, approvals }),
        note: this.noteOf(call, caller),
      };
    } catch (error) {
      deadline.abort(error);
      end();
      throw error;
    }
  }

  private relay(
    { call, api }: Asked,
    source: ReadableStream<Uint8Array>,
    { deadline, events, onEnd, approvals }: Streamed,
  ): ReadableStream<Uint8Array> {
    const { openCalls, limits } = this.deps;
    const guard = new StreamGuard(call, events, limits.jsonDepth, approvals);
    const { idleMs, answerBytes, keepAliveMs } = limits;
    const holds = { onHold: approvals?.onHold ?? UNMET, unused: approvals?.unused ?? NONE };
    const bounds = { idleMs, answerBytes, keepAliveMs, keepAlive: api.keepAlive };
    const relay = new StreamRelay({ call, guard, source, deadline, openCalls, ...bounds, onEnd, ...holds });
    return new ReadableStream(relay, { highWaterMark: 0 });
  }

  private noteOf({ context, record }: GuardedCall, { agent }: TokenPrincipal): GuardNote {
    const { action, eventId } = record;
    const { overheadMs, rules, spending } = context;
    const limits = agent ? this.deps.limiter.headersFor(agent.id, rules.effective.limits) : NO_LIMITS;
    return { action, eventId, overheadMs, limits, budgets: spending?.headers ?? NO_LIMITS };
  }

  /** Sends the call, and once more what its API can mend. */
  private async sendMended(asked: Asked, body: JsonRecord, deadline: CallDeadline): Promise<Dispatched> {
    const { api, call } = asked;
    const posted = (request: JsonRecord): Sent => ({ path: api.path, request, model: api.request.modelOf(request) });
    const sent = await this.send(asked, posted(body), deadline);
    if (sent.answer.kind !== "refused") return sent;
    const repaired = api.request.repaired?.(body, sent.answer) ?? null;
    if (repaired === null) return sent;
    sent.release();
    call.context.reasoningDropped = repaired.reasoningDropped;
    return this.send(asked, posted(repaired.body), deadline);
  }

  private async send(
    { call: { context, record }, api, header }: Asked,
    sent: Sent,
    deadline: CallDeadline,
  ): Promise<Dispatched> {
    const since = performance.now();
    record.markForwarded();
    try {
      const { request } = sent;
      return await this.deps.dispatcher.send(
        {
          ...sent,
          api: api.name,
          headers: passedOn(api.request.passedHeaders, header),
          body: sent.method === undefined ? await writtenWhole(request, context.isLong) : "",
          stream: context.stream,
          deadline,
          provider: context.keeper,
          trace: context.trace?.headers ?? null,
          ...(api.errors.showsFailure && { showsFailure: api.errors.showsFailure }),
        },
        (provider, upstreamModel) => {
          context.provider = provider;
          context.upstreamModel = upstreamModel;
          context.attempts += 1;
        },
      );
    } finally {
      context.upstreamMs += performance.now() - since;
    }
  }
}

const asksAgain = ({ request }: ModelApi, header: Asked["header"]): boolean => request.asksAgain?.(header) === true;

/** Longest header of a client that a provider is given, in characters. */
const MAX_PASSED_HEADER = 4_096;

/** Verbatim, or not at all. */
const passedOn = (names: readonly string[], header: Asked["header"]): Readonly<Record<string, string>> => {
  if (names.length === 0) return NO_HEADERS;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = header(name);
      return value !== null && value.length <= MAX_PASSED_HEADER && /^[\x20-\x7e]+$/.test(value) ? [[name, value]] : [];
    }),
  );
};

const NO_HEADERS: Readonly<Record<string, string>> = {};

const atOnce = (walk: Walk): Texts => {
  walk.run();
  return walk;
};

const nextSlice = (): Promise<void> => slices.turn();

const charsOf = ({ slots }: Texts): number => {
  let chars = 0;
  for (const { text } of slots) chars += text.length;
  return chars;
};

const isTooDeep = ({ gaps }: Texts): boolean => gaps.some(({ reason }) => reason === "too_deep");

const writtenWhole = async (body: Readonly<JsonRecord>, isLong: boolean): Promise<string> =>
  isLong ? await stringifySliced(body, nextSlice) : JSON.stringify(body);

const written = async (answer: JsonRecord, isLong: boolean, light: Lightened | null): Promise<string> => {
  const json = await writtenWhole(answer, isLong);
  return light === null ? json : light.restored(json);
};

/** A provider's answer; of what is not JSON, no value. */
const answerIn = (text: string): JsonDocument => {
  try {
    return readJson(text);
  } catch (error) {
    return notRead(error);
  }
};

const answerInSlices = (text: string): Promise<JsonDocument> => readJsonSliced(text, nextSlice).catch(notRead);

const notRead = (error: unknown): JsonDocument => {
  if (error instanceof SyntaxError) return { value: undefined, repeated: null };
  throw error;
};
