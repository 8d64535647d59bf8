import { connectionKey, type ToolConnections } from "#guard/tools/connections";
import type { ToolServer } from "#model/tools/tool";
import { Cancellation, type CancelSignal } from "#platform/cancellation";
import type { Clock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import { ToolFailure } from "#upstream/tool-port";

/** Resources of one server that are watched at a time, and of all. */
const MAX_OF_SERVER = 256;
const MAX_WATCHES = 4_096;
/** A server that says every moment that a resource has changed is passed on no more often than this. Milliseconds. */
const MIN_BETWEEN_MS = 1_000;
/** A watch that ends sooner counts as failed; after so many in a row it is over. */
const SHORT_MS = 30_000;
const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 1_000;

/** Who is told of changes of one resource. Neither throws. */
export type WatchListener = {
  readonly onUpdated: () => void;
  /** The hub watches it no more: the server is gone or has changed, or does not tell any more. */
  readonly onEnded: () => void;
};

type ResourceWatchesNeeds = {
  readonly serverOf: (id: string) => ToolServer | null;
  readonly connections: Pick<ToolConnections, "watch">;
  readonly now: Clock;
  readonly log: Log;
  /** Longest wait for a server to say that it will tell, milliseconds. */
  readonly listMs: number;
};

/**
 * Resources that servers are asked to tell changes of. Each is asked for once, however many listen. What may be watched
 * by whom is not decided here.
 */
export class ResourceWatches {
  private readonly watches = new Map<string, Watch>();

  constructor(private readonly deps: ResourceWatchesNeeds) {}

  /** Resolves, when the server tells, with how to stop. Throws `ToolFailure`. */
  async begin(server: ToolServer, uri: string, listener: WatchListener, signal: CancelSignal): Promise<() => void> {
    const key = JSON.stringify([connectionKey(server), uri]);
    // Both go to the server, and may overtake each other: one after the other.
    for (let before = this.watches.get(key); before?.isEnding; before = this.watches.get(key)) await before.over;
    const watch = this.watches.get(key) ?? this.start(key, server, uri);
    watch.listeners.add(listener);
    const stop = (): void => watch.leave(listener);
    try {
      await unlessAborted(watch.begun, signal);
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Ends what belongs to servers that are gone, switched off, or have other credentials or another address now. */
  retain(): void {
    for (const watch of this.watches.values()) watch.endIfChanged();
  }

  get size(): number {
    return this.watches.size;
  }

  private start(key: string, server: ToolServer, uri: string): Watch {
    const ofServer = [...this.watches.values()].filter(({ serverId }) => serverId === server.id).length;
    if (ofServer >= MAX_OF_SERVER || this.watches.size >= MAX_WATCHES) {
      throw new ToolFailure("busy", `Too many resources of ${server.slug} are watched.`, false);
    }
    const watch = new Watch(this.deps, server, uri);
    this.watches.set(key, watch);
    void watch.over.then(() => this.watches.delete(key));
    return watch;
  }
}

/** One resource of one server, as long as anybody listens. */
class Watch {
  readonly listeners = new Set<WatchListener>();
  readonly serverId: string;
  private readonly key: string;
  private readonly ending = new Cancellation();
  private readonly first = Promise.withResolvers<void>();
  /** Resolves when the server was told that nobody listens any more. */
  readonly over: Promise<void>;
  private toldAt = 0;
  private telling: Timer | null = null;

  constructor(
    private readonly deps: ResourceWatchesNeeds,
    private readonly server: ToolServer,
    private readonly uri: string,
  ) {
    this.serverId = server.id;
    this.key = connectionKey(server);
    // The caller that began it awaits it. Once that caller has left, nobody does, and a rejection needs no handling.
    this.first.promise.catch(() => undefined);
    this.over = this.run();
  }

  /** Resolves when the server tells. Rejects with `ToolFailure`. */
  get begun(): Promise<void> {
    return this.first.promise;
  }

  get isEnding(): boolean {
    return this.ending.aborted;
  }

  leave(listener: WatchListener): void {
    if (this.listeners.delete(listener) && this.listeners.size === 0) this.ending.abort();
  }

  endIfChanged(): void {
    if (this.current() === null) this.ending.abort();
  }

  /** Looked up at every use: null where it is not the server any more that was watched. */
  private current(): ToolServer | null {
    const server = this.deps.serverOf(this.serverId);
    return server?.active && connectionKey(server) === this.key ? server : null;
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    try {
      await this.keepUp();
    } catch (error) {
      if (!(error instanceof ToolFailure)) {
        this.deps.log.error("resources.watch_failed", { server_id: this.serverId, ...causeOf(error) });
      }
      this.first.reject(error instanceof ToolFailure ? error : this.gone(error));
    } finally {
      this.ending.abort();
      this.first.reject(this.gone());
      if (this.telling) clearTimeout(this.telling);
      const told = [...this.listeners];
      this.listeners.clear();
      for (const { onEnded } of told) onEnded();
    }
  }

  /** Begins anew where the connection ends, and says then that something may have changed. */
  private async keepUp(): Promise<void> {
    let hasBegun = false;
    for (let failures = 0; failures < MAX_FAILURES; ) {
      const server = this.current();
      if (server === null || this.ending.aborted) return;
      const since = performance.now();
      const late = setTimeout(() => !hasBegun && this.ending.abort(), server.list_ms ?? this.deps.listMs);
      const onBegun = (): void => {
        if (hasBegun) this.updated();
        hasBegun = true;
        this.first.resolve();
      };
      try {
        const { uri, ending: signal } = this;
        await this.deps.connections.watch(server, { uri, signal, onBegun, onUpdated: () => this.updated() });
      } catch (error) {
        if (!hasBegun || !(error instanceof ToolFailure)) throw error;
      } finally {
        clearTimeout(late);
      }
      if (!hasBegun) return;
      failures = performance.now() - since < SHORT_MS ? failures + 1 : 1;
      await pause(FIRST_WAIT_MS * 2 ** (failures - 1), this.ending);
    }
  }

  private updated(): void {
    if (this.telling !== null || this.ending.aborted) return;
    const wait = this.toldAt + MIN_BETWEEN_MS - this.deps.now();
    const tell = (): void => {
      this.telling = null;
      this.toldAt = this.deps.now();
      for (const { onUpdated } of [...this.listeners]) onUpdated();
    };
    if (wait <= 0) tell();
    else this.telling = setTimeout(tell, Math.min(wait, MIN_BETWEEN_MS));
  }

  private gone(cause?: unknown): ToolFailure {
    return new ToolFailure("unreachable", `${this.server.slug} does not tell of changes.`, false, cause);
  }
}

const pause = (ms: number, signal: CancelSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
  });

const unlessAborted = (promise: Promise<void>, signal: CancelSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => reject(new ToolFailure("cancelled", "The call was cancelled.", false));
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
