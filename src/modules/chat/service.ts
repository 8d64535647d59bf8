import { answeredCallsIn } from "#core/answered-call";
import type { Caller } from "#core/caller";
import { type ChatRequest, conversationOf, usageOf } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord, parseJson } from "#core/json";
import { type JsonDocument, readJson, readJsonSliced, SMALL_TEXT } from "#core/json-reader";
import { stringifySliced } from "#core/json-writer";
import { Provenance } from "#core/provenance";
import { type Slot, type Texts, walkSliced } from "#core/text-walk";
import { dropLogprobs, textsOfAnswer, textsOfRequest, walkOfAnswer, walkOfRequest } from "#core/texts";
import { CallLife } from "#engine/call-life";
import type { Conversations } from "#engine/conversations";
import type { Dispatched, Dispatcher } from "#engine/dispatcher";
import type { CallJudge, StreamJudge } from "#engine/governance/call-judge";
import type { Limiter } from "#engine/governance/limiter";
import { CHAT, type GuardDeps, GuardedCall } from "#engine/guarded-call";
import type { Heartbeat } from "#engine/heartbeat";
import { ScanTurns } from "#engine/scan-turns";
import { StreamGuard } from "#engine/stream-guard";
import { StreamRelay } from "#engine/stream-relay";
import { holdToProfile, tokensWanted } from "#modules/chat/governed";
import { refusalOf } from "#modules/chat/refusal";
import type { ChatResult, GuardNote } from "#modules/chat/result";
import { slices } from "#platform/slices";

export type ChatLimits = {
  readonly jsonDepth: number;
  readonly idleMs: number;
  /** Longest answer of a provider, in bytes as unpacked. */
  readonly answerBytes: number;
  readonly totalMs: number;
  readonly keepAliveMs: number;
};

type Deps = {
  readonly guard: GuardDeps;
  readonly dispatcher: Dispatcher;
  readonly heartbeat: Heartbeat;
  readonly limiter: Limiter;
  readonly calls: CallJudge;
  readonly conversations: Conversations;
  readonly limits: ChatLimits;
  readonly check: (body: unknown) => ChatRequest;
};

/** A call as it came through the door. */
export type ChatCall = {
  readonly id: string;
  /**
   * The parsed body, of a long one a promise; throws what was wrong with it: `invalid_json`, `request_too_large`,
   * `client_closed`.
   */
  readonly body: () => unknown | Promise<unknown>;
  /** Bytes of the body, as it was announced; not a number where it was not. */
  readonly length: number;
  readonly conversation: string | null;
  readonly clientRetry: number;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
};

type Passage = { readonly life: CallLife; readonly caller: Caller };

type Streamed = {
  readonly life: CallLife;
  readonly wantsUsage: boolean;
  readonly onEnd: () => void;
  /** Of an agent's tool calls; a person's own are not governed. */
  readonly judge: StreamJudge | null;
};

const NO_LIMITS = {};
const NOTHING = async (): Promise<void> => {};
const UNMET = async (): Promise<unknown> => new Error("nobody holds calls here");

/** The road: scanned, written down, sent on, scanned again, written down. */
export class ChatService {
  private readonly turns: ScanTurns;

  constructor(private readonly deps: Deps) {
    this.turns = new ScanTurns(deps.heartbeat);
  }

  /**
   * Answers one chat-completions call. Every way it can end is recorded before this returns or throws;
   * everything thrown is a `GuardError`.
   */
  async complete(caller: Caller, request: ChatCall): Promise<ChatResult> {
    this.deps.guard.auditor.admit();
    const call = new GuardedCall(this.deps.guard, caller, CHAT, request.id);
    call.clientRetry = request.clientRetry;
    const { heartbeat, limits } = this.deps;
    const life = new CallLife({
      client: request.signal,
      heartbeat,
      totalMs: limits.totalMs,
      onBeat: () => call.beat(),
      stopped: () => call.stopped(),
      subject: () => call.subject,
    });
    call.signal = () => life.signal;
    try {
      const body = await this.turns.take(request.length, () => this.admit(call, caller, request));
      return body.stream
        ? await this.stream(call, body, { life, caller })
        : await this.whole(call, body, { life, caller });
    } catch (error) {
      life.end();
      const failed = await call.fail(life.explain(error));
      if (failed.code === "content_filter" && call.blocksQuietly) return this.refusal(call, caller, failed);
      throw failed;
    }
  }

  /** A block as a completion. */
  private refusal(call: GuardedCall, caller: Caller, failed: GuardError): ChatResult {
    const { id, model, stream } = call;
    const created = Math.floor(this.deps.guard.clock() / 1_000);
    const refused = { id, model: model ?? "unknown", stream, wantsUsage: call.wantsUsage, created };
    return refusalOf(failed, refused, this.noteOf(call, caller));
  }

  /** Everything that can refuse the call before a provider hears of it. */
  private admit(call: GuardedCall, caller: Caller, request: ChatCall): ChatRequest | Promise<ChatRequest> {
    call.mustRun();
    const parsed = request.body();
    if (!(parsed instanceof Promise)) return this.judged(call, caller, request, parsed);
    call.isLong = true;
    return parsed.then((body) => this.judged(call, caller, request, body));
  }

  private judged(
    call: GuardedCall,
    caller: Caller,
    request: ChatCall,
    parsed: unknown,
  ): ChatRequest | Promise<ChatRequest> {
    const body = this.deps.check(parsed);
    call.stream = body.stream === true;
    call.wantsUsage = body.stream_options?.include_usage === true;
    const named = this.nameIn(call, body, request.conversation);
    return named ? named.then(() => this.govern(call, caller, body)) : this.govern(call, caller, body);
  }

  /** Once it is known what it asks for: the profile, its limits, and its texts. */
  private govern(call: GuardedCall, caller: Caller, body: ChatRequest): ChatRequest | Promise<ChatRequest> {
    call.mustRun();
    holdToProfile(call, body);
    if (!call.isLong) return this.look(call, caller, body, textsOfRequest(body, this.deps.limits.jsonDepth));
    const walk = walkOfRequest(body, this.deps.limits.jsonDepth);
    return walkSliced(walk, nextSlice).then((texts) => this.look(call, caller, body, texts));
  }

  private look(call: GuardedCall, caller: Caller, body: ChatRequest, texts: Texts): ChatRequest | Promise<ChatRequest> {
    // Serialising and scanning both walk the whole body: what is nested without end goes no further.
    if (isTooDeep(texts)) {
      throw new GuardError("invalid_value", `The body is nested deeper than ${this.deps.limits.jsonDepth} levels.`);
    }
    this.reserve(call, caller, body, texts);
    const scanned = call.scan(texts, "input");
    const remember = () => this.remember(call, caller, body);
    return typeof scanned === "boolean" ? remember() : scanned.then(remember);
  }

  /** What tool calls in its answer, and later ones of its conversation, are held against. */
  private remember(call: GuardedCall, caller: Caller, body: ChatRequest): ChatRequest | Promise<ChatRequest> {
    // After redaction: a model can only repeat what it was shown.
    call.provenance = Provenance.of(body, this.deps.limits.jsonDepth, call.isLong);
    // Only agents hold conversations over several roads; a person's client sends all of one with each call.
    if (caller.agent && call.conversation !== null) {
      const pause = call.isLong ? slices.begin() : null;
      const heard = this.deps.conversations.hearMessages(caller, call.conversation, body.messages, pause);
      if (heard) return heard.then(() => body);
    }
    return body;
  }

  /** Throws `rate_limit_exceeded` and `insufficient_quota`. */
  private reserve(call: GuardedCall, { agent }: Caller, body: ChatRequest, { slots }: Texts): void {
    if (!agent) return;
    const { effective } = call.rules;
    const chars = slots.reduce((sum, { text }) => sum + text.length, 0);
    call.reservation = this.deps.limiter.reserve({
      agent_id: agent.id,
      limits: effective.limits,
      watched: effective.watched_limits,
      tokens: tokensWanted(body, effective, chars),
      conversation: call.conversation === null ? null : { of: "models", id: call.conversation },
    });
    for (const denial of call.reservation.watched) call.watches(denial, "policy.limit", "usage");
  }

  /** Model and conversation are what the record repeats of a request, so they are judged before it can. */
  private nameIn(call: GuardedCall, body: ChatRequest, header: string | null): Promise<void> | undefined {
    const model: Slot = {
      param: "model",
      origin: "user",
      text: body.model,
      replace: (text) => {
        body.model = text;
      },
    };
    const scanned = call.scan({ slots: [model], gaps: [] }, "input");
    const route = () => {
      if (this.deps.dispatcher.route(body.model).length > 0) call.model = body.model;
    };
    const converse = () => call.converse(conversationOf(header, body));
    if (typeof scanned !== "boolean") return scanned.then(converse).then(route);
    const conversed = converse();
    if (conversed) return conversed.then(route);
    route();
    return undefined;
  }

  private async whole(call: GuardedCall, body: ChatRequest, { life, caller }: Passage): Promise<ChatResult> {
    const { answer, release } = await this.send(call, body, life);
    try {
      if (answer.kind === "refused") return await this.refused(call, caller, answer);
      if (answer.kind === "stream") {
        throw new GuardError("upstream_error", "The provider answered with a stream that was not asked for.");
      }
      return await this.answered(call, caller, answer.text);
    } finally {
      release();
      life.end();
    }
  }

  private async answered(call: GuardedCall, caller: Caller, text: string): Promise<ChatResult> {
    const isLong = text.length > SMALL_TEXT;
    const { value: parsed, repeated } = isLong ? await answerInSlices(text) : answerIn(text);
    if (!isRecord(parsed)) throw new GuardError("upstream_error", "The provider's answer is not a JSON object.");
    call.usage = usageOf(parsed);
    call.finishReasons = finishReasonsOf(parsed);
    const { jsonDepth } = this.deps.limits;
    const texts = isLong
      ? await walkSliced(walkOfAnswer(parsed, jsonDepth), nextSlice)
      : textsOfAnswer(parsed, jsonDepth);
    // As in a stream: what lies too deep to be read does not pass unread.
    if (isTooDeep(texts)) throw new GuardError("upstream_error", "The provider sent an answer nested without end.");
    const redacted = await this.turns.take(text.length, () => call.scan(texts, "output"));
    if (redacted) dropLogprobs(parsed);
    // A name given twice: what was scanned is what leaves, and not the other value too.
    const changed = redacted || repeated !== null;
    if (caller.agent) await this.deps.calls.judge(call, caller, answeredCallsIn(parsed));
    const rewritten = changed ? written(parsed, isLong) : text;
    const sent = typeof rewritten === "string" ? rewritten : await rewritten;
    await call.finish("answered", 200);
    return { kind: "whole", status: 200, text: sent, note: this.noteOf(call, caller) };
  }

  /** The provider's own 4xx about the request: its words help the caller, once they have been scanned. */
  private async refused(
    call: GuardedCall,
    caller: Caller,
    answer: { status: number; text: string },
  ): Promise<ChatResult> {
    const parsed = parseJson(answer.text);
    const error = isRecord(parsed) && isRecord(parsed["error"]) ? parsed["error"] : {};
    const shown: JsonRecord = {
      error: {
        message: typeof error["message"] === "string" ? error["message"] : "The provider refused the request.",
        type: typeof error["type"] === "string" ? error["type"] : "invalid_request_error",
        param: typeof error["param"] === "string" ? error["param"] : null,
        code: typeof error["code"] === "string" ? error["code"] : "upstream_rejected",
      },
    };
    const scanned = call.scan(textsOfAnswer(shown, this.deps.limits.jsonDepth), "output");
    if (typeof scanned !== "boolean") await scanned;
    await call.finish("upstream_error", answer.status, "upstream_rejected");
    return { kind: "whole", status: answer.status, text: JSON.stringify(shown), note: this.noteOf(call, caller) };
  }

  private async stream(call: GuardedCall, body: ChatRequest, passage: Passage): Promise<ChatResult> {
    const { life, caller } = passage;
    const { wantsUsage } = call;
    body.stream_options = { ...body.stream_options, include_usage: true };
    // Written while the provider works: the first byte tells the client that the call is served.
    const begun = call.begin();
    begun.catch(() => undefined);
    const { answer, release } = await this.send(call, body, life);
    const end = () => {
      release();
      life.end();
    };
    try {
      if (answer.kind === "refused") {
        end();
        return await this.refused(call, caller, answer);
      }
      if (answer.kind !== "stream") {
        throw new GuardError("upstream_error", "The provider did not answer with an event stream.");
      }
      await begun;
      const judge = caller.agent ? await this.deps.calls.forStream(call, caller, caller.agent.id) : null;
      return {
        kind: "stream",
        body: this.relay(call, answer.body, { life, wantsUsage, onEnd: end, judge }),
        note: this.noteOf(call, caller),
      };
    } catch (error) {
      life.abort(error);
      end();
      throw error;
    }
  }

  private relay(
    call: GuardedCall,
    source: ReadableStream<Uint8Array>,
    { life, wantsUsage, onEnd, judge }: Streamed,
  ): ReadableStream<Uint8Array> {
    const { heartbeat, limits } = this.deps;
    const guard = new StreamGuard(call, wantsUsage, limits.jsonDepth, judge);
    const { idleMs, answerBytes, keepAliveMs } = limits;
    const holds = { onHold: judge?.onHold ?? UNMET, onComplete: judge?.onComplete ?? NOTHING };
    const bounds = { idleMs, answerBytes, keepAliveMs };
    const relay = new StreamRelay({ call, guard, source, life, heartbeat, ...bounds, onEnd, ...holds });
    return new ReadableStream(relay, { highWaterMark: 0 });
  }

  private noteOf(call: GuardedCall, { agent }: Caller): GuardNote {
    const { guardAction: action, eventId, overheadMs } = call;
    const limits = agent ? this.deps.limiter.headersFor(agent.id, call.rules.effective.limits) : NO_LIMITS;
    return { action, eventId, overheadMs, limits };
  }

  private async send(call: GuardedCall, body: ChatRequest, life: CallLife): Promise<Dispatched> {
    const since = performance.now();
    call.letThrough();
    try {
      const json = call.isLong ? await stringifySliced(body, nextSlice) : JSON.stringify(body);
      return await this.deps.dispatcher.send(
        { body: json, model: body.model, stream: body.stream === true, life },
        (provider) => {
          call.provider = provider;
          call.attempts += 1;
        },
      );
    } finally {
      call.upstreamMs = performance.now() - since;
    }
  }
}

const nextSlice = (): Promise<void> => slices.turn();

const isTooDeep = ({ gaps }: Texts): boolean => gaps.some(({ reason }) => reason === "too_deep");

const finishReasonsOf = (answer: JsonRecord): string[] => {
  const choices: unknown[] = Array.isArray(answer["choices"]) ? answer["choices"] : [];
  return choices.flatMap((choice) =>
    isRecord(choice) && typeof choice["finish_reason"] === "string" ? [choice["finish_reason"]] : [],
  );
};

/** Promises only for long ones: a small answer waits for nothing. */
const written = (answer: JsonRecord, isLong: boolean): string | Promise<string> =>
  isLong ? stringifySliced(answer, nextSlice) : JSON.stringify(answer);

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
