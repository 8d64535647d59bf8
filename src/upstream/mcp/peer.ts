import { isRecord, type JsonRecord } from "#core/json/json";
import { numberOf } from "#core/json/json-number";
import {
  type RpcError,
  type RpcMessage,
  type RpcMethod,
  type RpcNotificationMethod,
  type RpcRequest,
  rpcMessage,
} from "#model/tools/mcp";
import type { CancelledNotificationParams, ProgressNotificationParams, Unchecked } from "#model/tools/mcp-types";
import type { CancelSignal } from "#platform/cancellation";
import { ToolFailure } from "#upstream/tool-port";
import { type CallListener, hearNotification, LOGGED, OpenCallListeners, pausing } from "./call-listener.ts";
import { answerOf, ELICITED } from "./questions.ts";

/** Where an `RpcPeer` puts its messages. What comes back is given to `RpcPeer.receive`. */
export type PeerChannel = {
  /** Rejects when the message did not arrive. */
  send(outgoing: Outgoing): Promise<void>;
};

export type Outgoing = {
  /** Called at the moment the message goes out; null when nobody wants it sent any more. */
  nextMessage(): JsonRecord | null;
  /** Called when the server has certainly not taken it in. */
  refused(): void;
  /** Aborts when the answer is there or no longer awaited; null for what has none. */
  readonly over: AbortSignal | null;
};

export type PeerRequest = {
  readonly method: RpcMethod;
  readonly params: JsonRecord;
  /** Longest silence, milliseconds; progress ends a silence. Null: as long as the channel is open. */
  readonly silenceMs: number | null;
  readonly signal: CancelSignal | null;
  /** Asks for progress, unless null. */
  readonly onProgress: ((params: Unchecked<ProgressNotificationParams>) => void) | null;
  /** Of a call: who hears what the server says beside. Absent for what is no call. */
  readonly listener?: CallListener;
};

export type PeerReply =
  | { readonly kind: "result"; readonly result: unknown; readonly size: number }
  | ({ readonly kind: "error"; readonly data: unknown } & Pick<RpcError, "code" | "message">);

type Pending = {
  sent: boolean;
  readonly progress: (params: Unchecked<ProgressNotificationParams>) => void;
  readonly answer: (reply: PeerReply) => void;
  readonly fail: (failure: ToolFailure) => void;
};

/** Answers of ours that may wait to be sent: a server that asks and never reads must not fill our memory. */
const MAX_ANSWERS = 100;

/** Our end of a JSON-RPC 2.0 conversation over a channel that both sides write to. */
export class RpcPeer {
  private readonly pending = new Map<number, Pending>();
  private readonly calls = new OpenCallListeners();
  private lastId = 0;
  private answers = 0;
  private end: ToolFailure | null = null;
  /** Called with each notification that belongs to no request. */
  onNotification: (method: string, params: JsonRecord | undefined) => void = () => {};
  private readonly ending = Promise.withResolvers<void>();

  constructor(
    private readonly slug: string,
    private readonly channel: PeerChannel,
  ) {}

  get isOpen(): boolean {
    return this.end === null;
  }

  /** Resolves when the conversation is over. */
  get ended(): Promise<void> {
    return this.ending.promise;
  }

  /** Throws `ToolFailure`; an error the server answers is a value. */
  request({ method, params, silenceMs, signal, onProgress, listener }: PeerRequest): Promise<PeerReply> {
    if (this.end) return Promise.reject(this.end);
    if (signal?.aborted) return Promise.reject(new ToolFailure("cancelled", CANCELLED, false));
    this.lastId += 1;
    const id = this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<PeerReply>();
    const over = new AbortController();
    let isGivenUp = false;
    const settle = (act: () => void) => {
      if (!this.pending.delete(id)) return;
      clearTimeout(silence);
      if (isGivenUp) call?.giveUp();
      else call?.leave();
      signal?.removeEventListener("abort", cancel);
      over.abort();
      act();
    };
    const fail: Pending["fail"] = (failure) => settle(() => reject(failure.withMayHaveRun(pending.sent)));
    const giveUp = (reason: "timeout" | "cancelled", message: string) => {
      // The handshake is the one request that must not be cancelled (lifecycle, 2025-11-25).
      const tell = pending.sent && method !== "initialize";
      isGivenUp = pending.sent;
      fail(new ToolFailure(reason, message, false));
      const notice: CancelledNotificationParams = { requestId: id, reason };
      if (tell) void this.notify("notifications/cancelled", notice);
    };
    const cancel = () => giveUp("cancelled", CANCELLED);
    const silence: Timer | undefined =
      silenceMs === null
        ? undefined
        : setTimeout(() => {
            if (suspensions > 0) silence?.refresh();
            else giveUp("timeout", `${this.slug} sent nothing for ${silenceMs} ms.`);
          }, silenceMs);
    let suspensions = 0;
    const suspend = () => {
      suspensions += 1;
    };
    const resume = () => {
      suspensions -= 1;
      if (this.pending.has(id)) silence?.refresh();
    };
    const call = listener === undefined ? null : this.calls.join(id, pausing(listener, { suspend, resume }));
    const pending: Pending = {
      sent: false,
      fail,
      answer: (reply) => settle(() => resolve(reply)),
      progress: (news) => {
        silence?.refresh();
        onProgress?.(news);
      },
    };
    signal?.addEventListener("abort", cancel, { once: true });
    this.pending.set(id, pending);
    const nextMessage = () => {
      if (!this.pending.has(id)) return null;
      pending.sent = true;
      return { jsonrpc: "2.0", id, method, params: onProgress === null ? params : withToken(params, id) };
    };
    const refused = () => {
      pending.sent = false;
    };
    this.channel.send({ nextMessage, refused, over: over.signal }).catch((error: unknown) => {
      if (error instanceof ToolFailure) settle(() => reject(error));
      else fail(new ToolFailure("unreachable", `${this.slug} could not be sent the request.`, false, error));
    });
    return promise;
  }

  /** Resolves when it is sent, or cannot be. */
  notify(method: RpcNotificationMethod, params: JsonRecord | null): Promise<void> {
    return this.post({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  /** Takes in what the server sent: parsed JSON, and how long its text was. */
  receive(value: unknown, size: number): void {
    // Only 2025-03-26 had batches; a server of that time may answer with one.
    for (const one of Array.isArray(value) ? value : [value]) {
      const message = rpcMessage(one);
      if (message) this.handle(message, size);
    }
  }

  /** Fails all that is under way, and whatever is asked from now on. The first failure counts. */
  close(failure: ToolFailure): void {
    if (this.end) return;
    this.end = failure.withMayHaveRun(false);
    for (const pending of [...this.pending.values()]) pending.fail(failure);
    this.ending.resolve();
  }

  private handle(message: RpcMessage, size: number): void {
    if (message.kind === "request") this.answer(message);
    else if (message.kind === "notification") this.notified(message.method, message.params);
    else this.answered(message, size);
  }

  private answered(message: RpcMessage & { kind: "result" | "error" }, size: number): void {
    // Some servers give a numeric id back as a string.
    const id = Number(message.id);
    this.calls.answered(id);
    // What nobody waits for (any more) is dropped.
    this.pending.get(id)?.answer(replyOf(message, size));
  }

  private notified(method: string, params: JsonRecord | undefined): void {
    if (method === PROGRESS) this.progressed(params ?? {});
    else if (BESIDE_CALLS.has(method)) hearNotification(method, params, this.calls.only);
    else this.onNotification(method, params);
  }

  private progressed({ progressToken, ...news }: Unchecked<ProgressNotificationParams>): void {
    const pending = this.pending.get(numberOf(progressToken) ?? Number(progressToken));
    try {
      pending?.progress(news);
    } catch (error) {
      // One listener that throws must not end the others' conversation.
      pending?.fail(new ToolFailure("cancelled", "The call's progress could not be passed on.", false, error));
    }
  }

  private answer({ id, method, params }: RpcRequest): void {
    if (this.answers >= MAX_ANSWERS) return;
    this.answers += 1;
    void answerOf(method, params, this.calls.only?.questions ?? null)
      .then((outcome) => this.post({ jsonrpc: "2.0", id, ...outcome }))
      .then(() => {
        this.answers -= 1;
      });
  }

  /** Sends what has no answer. A channel that cannot ends, and tells those who wait by ending. */
  private post(message: JsonRecord): Promise<void> {
    const nextMessage = () => (this.end ? null : message);
    return this.channel.send({ nextMessage, refused: () => {}, over: null }).catch(() => {});
  }
}

const replyOf = (message: RpcMessage & { kind: "result" | "error" }, size: number): PeerReply => {
  if (message.kind === "result") return { kind: "result", result: message.result, size };
  const { code, message: text, data } = message.error;
  return { kind: "error", code, message: text, data };
};

const CANCELLED = "The call was cancelled.";
const PROGRESS: RpcNotificationMethod = "notifications/progress";
const BESIDE_CALLS: ReadonlySet<string> = new Set([LOGGED, ELICITED]);

const withToken = (params: JsonRecord, id: number): JsonRecord => ({
  ...params,
  _meta: { ...(isRecord(params["_meta"]) ? params["_meta"] : {}), progressToken: id },
});
