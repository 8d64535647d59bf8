import { GuardError } from "#core/errors";
import type { Subject } from "#guard/enforcement/policy-resolver";
import type { OpenCalls, Ticking } from "#guard/open-calls";
import type { Attempt } from "#upstream/port";

/** Says when nobody waits for a call any more: an `AbortSignal`, or an object of our own, which costs a part of that. */
export type ClientSignal = {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

export type DeadlineOptions = {
  /** Aborts when the client is gone. */
  readonly client: ClientSignal;
  readonly openCalls: OpenCalls;
  /** The whole call, in milliseconds. */
  readonly totalMs: number;
  /** Called at each tick for as long as the call lives. */
  readonly onTick: () => void;
  /** What has come up that ends the call, asked at each tick: its agent was suspended, a kill switch is on. */
  readonly stopped: () => GuardError | null;
  readonly subject: () => Subject;
};

/**
 * How long one call lives: until its client goes, its time is up, or we end it. It has one abort controller, not
 * one a limit: limits are checked at each tick, which is exact enough for limits of seconds.
 */
export class CallDeadline implements Ticking, Attempt {
  private controller = new AbortController();
  private readonly endsAt: number;
  private attemptEndsAt = Number.POSITIVE_INFINITY;
  private isLate = false;
  private isCutOff = false;
  private stop: GuardError | null = null;
  timedOut = false;

  constructor(private readonly options: DeadlineOptions) {
    const { client, openCalls, totalMs } = options;
    this.endsAt = performance.now() + totalMs;
    client.addEventListener("abort", this.onClientGone, { once: true });
    openCalls.join(this);
    if (client.aborted) this.onClientGone();
  }

  get subject(): Subject {
    return this.options.subject();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  tick(now: number): void {
    if (now > this.endsAt) {
      this.isLate = true;
      this.abort(new DOMException("time limit", "TimeoutError"));
    } else if (now > this.attemptEndsAt) {
      this.timedOut = true;
      this.giveUp();
    } else if (!this.isOver) {
      this.stop = this.options.stopped();
      if (this.stop) this.abort(this.stop);
    }
    this.options.onTick();
  }

  cutOff(): void {
    this.isCutOff = true;
    this.abort(new DOMException("hub stopping", "AbortError"));
  }

  /** Begins another attempt at a provider: a call that is not over gets a fresh signal for it. */
  attempt(): Attempt {
    this.timedOut = false;
    if (this.controller.signal.aborted && !this.isOver) this.controller = new AbortController();
    return this;
  }

  limit(ms: number): void {
    this.attemptEndsAt = performance.now() + ms;
  }

  unlimit(): void {
    this.attemptEndsAt = Number.POSITIVE_INFINITY;
  }

  giveUp(): void {
    this.unlimit();
    this.controller.abort(new DOMException("attempt given up", "AbortError"));
  }

  /** Ends the call early, whatever waits for the provider with it. */
  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Whether no further attempt makes sense. */
  get isOver(): boolean {
    return this.isLate || this.isCutOff || this.stop !== null || this.options.client.aborted;
  }

  /** The call has ended, in whatever way. */
  end(): void {
    this.options.openCalls.leave(this);
    this.options.client.removeEventListener("abort", this.onClientGone);
  }

  /** An aborted call fails in many disguises; this says which of its ends it was. */
  explain(error: unknown): unknown {
    if (this.stop) return this.stop;
    if (error instanceof GuardError) return error;
    if (this.isLate)
      return new GuardError("upstream_timeout", "The call took longer than the hub allows.", { cause: error });
    if (this.isCutOff)
      return new GuardError("shutting_down", "The hub stopped before the call ended. Send it again.", { cause: error });
    return this.options.client.aborted
      ? new GuardError("client_closed", "The client closed the connection.", { cause: error })
      : error;
  }

  private readonly onClientGone = () => this.abort(new DOMException("client gone", "AbortError"));
}
