import { GuardError } from "#core/errors";
import type { Subject } from "#guard/enforcement/policy-resolver";
import type { OpenCalls, Ticking } from "#guard/open-calls";
import { Cancellation, type CancelSignal } from "#platform/cancellation";
import type { Attempt } from "#upstream/port";

export type DeadlineOptions = {
  /** Aborts when the client is gone. */
  readonly client: CancelSignal;
  readonly openCalls: OpenCalls;
  /** The whole call, in milliseconds. */
  readonly totalMs: number;
  /** Called again and again for as long as the call lives: see `CallRecord.noteOpen`. */
  readonly noteOpen: (now: number) => void;
  /** What has come up that ends the call, asked at each tick: its agent was suspended, a kill switch is on. */
  readonly stopped: () => GuardError | null;
  readonly subject: () => Subject;
};

/**
 * How long one call lives: until its client goes, its time is up, or we end it. It has one abort controller, not
 * one a limit: limits are checked at each tick, which is exact enough for limits of seconds.
 */
export class CallDeadline implements Ticking, Attempt {
  private cancellation = new Cancellation();
  /** Made when somebody asks for a native signal, which costs more than the rest of this. */
  private controller: AbortController | null = null;
  private reason: unknown = null;
  private endsAt: number;
  private suspendedAt: number | null = null;
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
    this.controller ??= new AbortController();
    if (this.cancellation.aborted) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /** The same as an object of our own, for those who need no more. */
  get ending(): CancelSignal {
    return this.cancellation;
  }

  tick(now: number): void {
    if (now > this.endsAt && this.suspendedAt === null) {
      this.isLate = true;
      this.abort(new DOMException("time limit", "TimeoutError"));
    } else if (now > this.attemptEndsAt) {
      this.timedOut = true;
      this.giveUp();
    } else if (!this.isOver) {
      this.stop = this.options.stopped();
      if (this.stop) this.abort(this.stop);
    }
  }

  noteOpen(now: number): void {
    this.options.noteOpen(now);
  }

  cutOff(): void {
    this.isCutOff = true;
    this.abort(new DOMException("hub stopping", "AbortError"));
  }

  /** A person is being asked: their time is not the call's. */
  suspend(): void {
    this.suspendedAt ??= performance.now();
  }

  resume(): void {
    if (this.suspendedAt !== null) this.endsAt += performance.now() - this.suspendedAt;
    this.suspendedAt = null;
  }

  /** Begins another attempt at a provider: a call that is not over gets a fresh signal for it. */
  attempt(): Attempt {
    this.timedOut = false;
    if (this.cancellation.aborted && !this.isOver) {
      this.cancellation = new Cancellation();
      this.controller = null;
    }
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
    this.abort(new DOMException("attempt given up", "AbortError"));
  }

  /** Ends the call early, whatever waits for the provider with it. */
  abort(reason: unknown): void {
    if (this.cancellation.aborted) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.cancellation.abort();
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
