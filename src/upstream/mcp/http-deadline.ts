import type { CancelSignal } from "#platform/cancellation";

export type DeadlineEnding = "timeout" | "cancelled" | "closed";

/** What ends an exchange before its answer: silence, its caller, or the end of the connection it runs on. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: Timer;
  private readonly cancel = (): void => this.end("cancelled");
  private released = false;
  private suspensions = 0;
  /** Null while nothing has ended it. */
  ending: DeadlineEnding | null = null;

  constructor(
    /** Longest silence, milliseconds. */
    readonly silenceMs: number,
    private readonly caller: CancelSignal | null,
  ) {
    this.timer = setTimeout(() => {
      if (this.suspensions > 0) this.timer.refresh();
      else this.end("timeout");
    }, silenceMs);
    // What waits for a connection is kept up by the connection; a limit alone keeps no process up.
    this.timer.unref();
    if (caller?.aborted) this.end("cancelled");
    else caller?.addEventListener("abort", this.cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The silence begins anew. */
  extend(): void {
    if (!this.released) this.timer.refresh();
  }

  /** No silence is counted until `resume`. */
  suspend(): void {
    this.suspensions += 1;
  }

  resume(): void {
    this.suspensions -= 1;
    this.extend();
  }

  end(why: DeadlineEnding): void {
    if (this.released) return;
    this.ending = why;
    this.release();
    this.controller.abort();
  }

  /** From now on nothing ends it. */
  release(): void {
    this.released = true;
    clearTimeout(this.timer);
    this.caller?.removeEventListener("abort", this.cancel);
  }

  /** Resolves after so many milliseconds; rejects at once when the deadline ends. */
  async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    try {
      await unlessAborted(promise, this.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What the promise comes to, or a rejection as soon as the signal aborts: who waits leaves, what is waited for goes on. */
export const unlessAborted = <T>(promise: Promise<T>, signal: CancelSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(new Error("no longer waited for"));
    const stay = () => signal.removeEventListener("abort", leave);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(stay);
  });

/** All that is under way on one connection, so that its end ends them. */
export class Deadlines {
  private readonly open = new Set<Deadline>();
  private closed = false;

  begin(silenceMs: number, caller: CancelSignal | null): Deadline {
    const deadline = new Deadline(silenceMs, caller);
    if (this.closed) deadline.end("closed");
    else this.open.add(deadline);
    return deadline;
  }

  finish(deadline: Deadline): void {
    deadline.release();
    this.open.delete(deadline);
  }

  /** Ends all, and whatever begins later. */
  close(): void {
    this.closed = true;
    for (const deadline of this.open) deadline.end("closed");
    this.open.clear();
  }
}
