import type { CancelSignal } from "#platform/cancellation";
import {
  ToolFailure,
  type ToolListing,
  type ToolUpstream,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
  type UpstreamWatch,
} from "#upstream/tool-port";
import type { PeerSession } from "./peer-session.ts";

/** A channel after its handshake. */
export type PeerConnection = {
  readonly session: PeerSession;
  /** False once it has ended, for whatever reason. */
  readonly isOpen: boolean;
  /** Never throws. */
  close(): Promise<void>;
};

/** A server behind a channel that is opened when it is first used, and again when it is used after it has ended. */
export abstract class PeerUpstream implements ToolUpstream {
  private readonly closing = new AbortController();
  private opening: Promise<PeerConnection> | null = null;
  private opened: PeerConnection | null = null;

  constructor(protected readonly slug: string) {}

  /** Connects and shakes hands within the limit. Throws `ToolFailure`; leaves nothing behind when it does. */
  protected abstract open(closing: AbortSignal): Promise<PeerConnection>;

  list(signal: AbortSignal): Promise<ToolListing> {
    return this.through(signal, (session) => session.list(signal));
  }

  call(call: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    return this.through(call.signal, (session) => session.call(call));
  }

  ask(request: UpstreamRequest): Promise<UpstreamToolAnswer> {
    return this.through(request.signal, (session) => session.ask(request));
  }

  watch(watch: UpstreamWatch): Promise<void> {
    return this.through(watch.signal, (session) => session.watch(watch));
  }

  async close(): Promise<void> {
    this.closing.abort();
    const opening = this.opening?.then(
      () => {},
      () => {},
    );
    await opening;
    await this.opened?.close();
  }

  private async through<T>(signal: CancelSignal, work: (session: PeerSession) => Promise<T>): Promise<T> {
    const before = this.opened;
    const connection = await this.connection(signal);
    try {
      return await work(connection.session);
    } catch (error) {
      // A server that has forgotten an old session says so only now, and has run nothing: begin anew, once.
      const isStale = connection === before && !connection.isOpen;
      if (!isStale || !(error instanceof ToolFailure) || error.reason !== "unreachable" || error.mayHaveRun)
        throw error;
    }
    return work((await this.connection(signal)).session);
  }

  private async connection(signal: CancelSignal): Promise<PeerConnection> {
    if (this.closing.signal.aborted) {
      throw new ToolFailure("unreachable", `The connection to ${this.slug} was closed. Try again.`, false);
    }
    if (this.opened?.isOpen) return this.opened;
    this.opening ??= this.reopen();
    return unlessAborted(this.opening, signal);
  }

  private async reopen(): Promise<PeerConnection> {
    try {
      this.opened = await this.open(this.closing.signal);
      return this.opened;
    } catch (error) {
      // Whatever the handshake may have done, the call has not begun.
      if (error instanceof ToolFailure) throw error.withMayHaveRun(false);
      throw new ToolFailure("unreachable", `${this.slug} cannot be reached.`, false, error);
    } finally {
      this.opening = null;
    }
  }
}

/** One of those who wait leaves; what they wait for goes on. */
const unlessAborted = <T>(promise: Promise<T>, signal: CancelSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(new ToolFailure("cancelled", "The call was cancelled.", false));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
