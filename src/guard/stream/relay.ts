import { GuardError } from "#core/errors";
import { HoldNeeded, type Needed } from "#guard/answered-calls";
import type { CallDeadline } from "#guard/call-deadline";
import type { GuardedCall } from "#guard/guarded-call";
import type { OpenCalls, Ticking } from "#guard/open-calls";
import type { StreamGuard } from "#guard/stream/guard";

export type RelayOptions = {
  readonly call: GuardedCall;
  readonly guard: StreamGuard;
  readonly source: ReadableStream<Uint8Array>;
  /** Stops the upstream and everything that waits for it. */
  readonly deadline: CallDeadline;
  readonly openCalls: OpenCalls;
  /** Longest silence of the provider, in milliseconds. */
  readonly idleMs: number;
  /** Longest stream, in bytes as unpacked: `upstream.answer_bytes`. */
  readonly answerBytes: number;
  readonly keepAliveMs: number;
  /** What is sent then. */
  readonly keepAlive: string;
  /** Called once, when the stream has ended in whatever way. */
  readonly onEnd: () => void;
  /** What a tool call that needs a person is answered with. */
  readonly onHold: (needed: readonly Needed[]) => Promise<unknown>;
  /** Approvals of tool calls that are being used up: nothing leaves before that. Rejects when one was not to be had. */
  readonly unused: () => Promise<void> | null;
};

/** How long a provider may keep its connection open after its last event. Milliseconds. */
const LINGER_MS = 1_000;

const TOO_LARGE = "The provider sent a longer stream than the hub takes (upstream.answer_bytes).";

/**
 * Carries a provider's stream through the guard to the client. It ends exactly once; the last event waits until
 * the final record is on disk. Pulled by the client, so that a slow reader slows the provider and not our memory.
 */
export class StreamRelay implements UnderlyingDefaultSource<Uint8Array>, Ticking {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly decoder = new TextDecoder();
  private readonly encoder = new TextEncoder();
  private lastOut = performance.now();
  /** Since when a read has been waiting for the provider; null while it does not wait. */
  private waitingSince: number | null = null;
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Bytes the provider may still send. */
  private left: number;
  private isEnded = false;
  private fellSilent = false;

  constructor(private readonly options: RelayOptions) {
    this.reader = options.source.getReader();
    this.left = options.answerBytes;
    options.openCalls.join(this);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
  }

  /** Resolves when something was sent or the stream has ended. No async function: this runs for every chunk. */
  pull(): Promise<void> {
    this.waitingSince = performance.now();
    return this.reader.read().then(this.taken, this.failed);
  }

  private readonly taken = ({ value, done }: Bun.ReadableStreamDefaultReadResult<Uint8Array>): Promise<void> | void => {
    this.waitingSince = null;
    const { controller } = this;
    if (this.isEnded || !controller) return;
    try {
      const hasSent = !done && this.pass(controller, value);
      if (typeof hasSent === "boolean") return this.goOn(controller, hasSent, done);
      return hasSent.then((sent) => this.goOn(controller, sent, done)).catch(this.failed);
    } catch (error) {
      return this.failed(error);
    }
  };

  private goOn(
    controller: ReadableStreamDefaultController<Uint8Array>,
    hasSent: boolean,
    done: boolean,
  ): Promise<void> | void {
    if (this.isEnded) return;
    if (done || this.options.guard.isDone) return this.complete(controller).catch(this.failed);
    return hasSent ? undefined : this.pull();
  }

  private readonly failed = (error: unknown): Promise<void> | void => {
    if (this.controller) return this.breakOff(this.controller, error);
  };

  /** The client has gone: nobody reads on, so nothing is asked of the provider any more. */
  async cancel(): Promise<void> {
    if (this.isEnded) return;
    this.close();
    this.options.deadline.abort(new DOMException("client gone", "AbortError"));
    this.options.guard.account();
    // A record that cannot be written has been reported by the auditor; there is nobody left to tell.
    await this.options.call.record.finish("client_closed", 499).catch(() => undefined);
  }

  tick(now: number): void {
    const { idleMs, deadline, keepAliveMs } = this.options;
    if (this.isEnded) {
      if (now - this.lastOut > LINGER_MS) deadline.abort(new DOMException("call ended", "AbortError"));
      return;
    }
    if (this.waitingSince !== null && now - this.waitingSince > idleMs) {
      this.fellSilent = true;
      deadline.abort(new DOMException("time limit", "TimeoutError"));
      return;
    }
    // Only a client that waits for more is kept alive: for one that does not read, comments would pile up.
    if (this.waitingSince === null || now - this.lastOut < keepAliveMs) return;
    if ((this.controller?.desiredSize ?? -1) >= 0) this.send(this.controller, this.options.keepAlive);
  }

  /** True when something was sent. */
  private pass(controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array): boolean | Promise<boolean> {
    const { guard, call } = this.options;
    this.left -= bytes.byteLength;
    if (this.left < 0) throw new GuardError("upstream_error", TOO_LARGE);
    const wasIdle = guard.isIdle;
    const begin = performance.now();
    const text = this.decoder.decode(bytes, { stream: true });
    if (guard.takesLong(text)) return this.passLong(controller, text);
    const out = guard.push(text);
    call.context.spend(performance.now() - begin);
    if (out === "") return false;
    const unused = this.options.unused();
    if (unused !== null) return unused.then(() => this.sendUnlessEnded(controller, out));
    if (wasIdle && text.startsWith(out) && isAscii(text, bytes)) {
      // Nothing was held before, nothing changed: the provider's own bytes, without encoding them again.
      controller.enqueue(out.length === bytes.byteLength ? bytes : bytes.subarray(0, out.length));
      this.lastOut = performance.now();
    } else this.send(controller, out);
    return true;
  }

  private async passLong(controller: ReadableStreamDefaultController<Uint8Array>, text: string): Promise<boolean> {
    const { guard, call } = this.options;
    const begin = performance.now();
    const out = await guard.pushLong(text);
    call.context.spend(performance.now() - begin);
    await this.options.unused();
    return this.sendUnlessEnded(controller, out);
  }

  private sendUnlessEnded(controller: ReadableStreamDefaultController<Uint8Array>, out: string): boolean {
    if (out === "" || this.isEnded) return false;
    this.send(controller, out);
    return true;
  }

  private async complete(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { guard, call } = this.options;
    const rest = this.decoder.decode();
    const out = guard.takesLong(rest)
      ? (await guard.pushLong(rest)) + (await guard.endLong())
      : guard.push(rest) + guard.end();
    await this.options.unused();
    if (this.isEnded) return;
    if (out !== "") this.send(controller, out);
    guard.account();
    if (!guard.isComplete)
      throw new GuardError("upstream_error", "The provider broke off in the middle of its answer.");
    if (guard.hasFailed) await call.record.finish("upstream_error", 502, "upstream_error");
    else await call.record.finish("answered", 200);
    if (this.isEnded) return;
    if (guard.lastEvent !== "") this.send(controller, guard.lastEvent);
    this.isEnded = true;
    controller.close();
    await this.readOut();
    this.leave();
  }

  /** A provider's connection that was read to its end can be used again. One that stays open is given up by `tick`. */
  private async readOut(): Promise<void> {
    try {
      while (!(await this.reader.read()).done);
    } catch {
      // The client has its answer; how the connection ends is of no interest to anybody.
    }
  }

  private async breakOff(controller: ReadableStreamDefaultController<Uint8Array>, thrown: unknown): Promise<void> {
    if (this.isEnded) return;
    const { call, guard, deadline } = this.options;
    guard.account();
    const reason = thrown instanceof HoldNeeded ? await this.options.onHold(thrown.needed) : thrown;
    const error = await call.record.fail(this.explain(reason));
    if (this.isEnded) return;
    const isBlock = error.code === "content_filter";
    const isQuiet = isBlock && call.context.answersBlockAsCompletion;
    this.send(controller, guard.handOut() + guard.cutOff({ error, isBlock, isQuiet }));
    this.close();
    controller.close();
    deadline.abort(error);
  }

  /** What a failed read means: our own decision, a time limit, or the provider's connection. */
  private explain(thrown: unknown): GuardError {
    if (this.fellSilent) {
      return new GuardError("upstream_timeout", "The provider fell silent in the middle of its answer.", {
        cause: thrown,
      });
    }
    const known = this.options.deadline.explain(thrown);
    if (known instanceof GuardError) return known;
    return new GuardError("upstream_error", "The provider broke off in the middle of its answer.", { cause: thrown });
  }

  private send(controller: ReadableStreamDefaultController<Uint8Array> | null, text: string): void {
    controller?.enqueue(this.encoder.encode(text));
    this.lastOut = performance.now();
  }

  private close(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.leave();
  }

  private leave(): void {
    this.options.openCalls.leave(this);
    this.options.onEnd();
  }
}

/** Equal length in units and bytes means every unit is one byte: the text is the bytes. */
const isAscii = (text: string, bytes: Uint8Array): boolean => text.length === bytes.byteLength;
