import type { ToolConnections } from "#guard/tools/connections";
import type { ToolDiscovery } from "#guard/tools/discovery";
import { announces, withOffers } from "#guard/tools/pages";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { ToolServer } from "#model/tools/tool";
import { type Clock, hasPassed } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import { SerialQueue } from "#platform/slices";
import { ToolFailure, type ToolListing } from "#upstream/tool-port";

type ToolCatalogueNeeds = {
  readonly toolRegistry: ToolRegistryCache;
  readonly connections: ToolConnections;
  readonly discovery: ToolDiscovery;
  readonly now: Clock;
  readonly log: Log;
  /** How long a list is taken for fresh, milliseconds. */
  readonly freshMs: number;
  /** Longest wait for one server's list, milliseconds. */
  readonly listMs: number;
  /** A slow server is waited for no longer than `listMs`, yet what it answers until then still comes in. Milliseconds. */
  readonly discoveryMs: number;
};

type ServerState = {
  /** The version of the server's credentials it was made with: others may do better. */
  readonly credentials: number;
  /** Unix milliseconds of the last look's end, whatever came of it; 0 for none. */
  refreshedAt: number;
  running: Promise<void> | null;
  /** When that began, by the monotonic clock. */
  startedAt: number;
  /** The list changed while it was being read: look once more. */
  isOutdated: boolean;
  failure: ToolFailure | null;
  /** What it said it offers when it told its tools last; undefined when it was not heard. */
  capabilities: ToolListing["capabilities"];
};

/** A server that says every moment that its list has changed is not asked more often than this. Milliseconds. */
export const MIN_BETWEEN_MS = 500;

/**
 * Keeps the lists of tool servers. Callers get the known list immediately, and a due refresh runs behind
 * his back; only a server nothing is known of is waited for, and not for long.
 */
export class ToolCatalogue {
  private readonly states = new Map<string, ServerState>();
  private readonly queue = new SerialQueue();

  constructor(private readonly deps: ToolCatalogueNeeds) {}

  /** Resolves when every one of the servers is known or had its time. Null when there is nothing to wait for. */
  ready(servers: readonly ToolServer[]): Promise<unknown> | null {
    let waiting: Promise<void>[] | null = null;
    for (const server of servers) {
      if (!server.active) continue;
      this.deps.connections.touch(server);
      const state = this.stateOf(server);
      if (!this.isDue(state) && !state.isOutdated) continue;
      const running = this.refresh(server);
      if (this.isKnown(server)) continue;
      waiting ??= [];
      // From when the look began: later lists do not wait anew for a server that is still starting.
      const left = (server.list_ms ?? this.deps.listMs) - (performance.now() - state.startedAt);
      if (left > 0) waiting.push(within(left, running));
    }
    return waiting && waiting.length > 0 ? Promise.all(waiting) : null;
  }

  /** Whether the server has ever told its tools. */
  isKnown({ id }: ToolServer): boolean {
    const state = this.states.get(id);
    return (
      this.deps.toolRegistry.allPinsOf(id).length > 0 ||
      (state !== undefined && state.refreshedAt > 0 && !state.failure)
    );
  }

  /** Why the last look failed; null when it did not. */
  failureOf({ id }: ToolServer): ToolFailure | null {
    return this.states.get(id)?.failure ?? null;
  }

  /** Whether the server may have resources: not when it announced none the last time it told its tools. */
  mayOfferResources({ id }: ToolServer): boolean {
    const capabilities = this.states.get(id)?.capabilities;
    return capabilities === undefined || announces(capabilities, "resources");
  }

  /** The server says that its list has changed. */
  changed(serverId: string): void {
    const server = this.deps.toolRegistry.server(serverId);
    if (!server?.active) return;
    const state = this.stateOf(server);
    state.isOutdated = true;
    const wait = Math.min(MIN_BETWEEN_MS, state.refreshedAt + MIN_BETWEEN_MS - this.deps.now());
    if (wait <= 0) void this.refresh(server);
    else setTimeout(() => state.isOutdated && void this.refresh(server), wait).unref();
  }

  /** Looks at servers with an open connection whose look is due: finds the dead ones, and those that are back. */
  checkHealth(): void {
    for (const server of this.deps.toolRegistry.all()) {
      if (!server.active || !this.deps.connections.isOpen(server)) continue;
      if (this.isDue(this.stateOf(server))) void this.refresh(server);
    }
  }

  /** Forgets servers that are gone. */
  retain(): void {
    for (const id of this.states.keys()) if (!this.deps.toolRegistry.server(id)) this.states.delete(id);
  }

  /** Never rejects: what went wrong is told by `failureOf`. */
  private refresh(server: ToolServer): Promise<void> {
    const state = this.stateOf(server);
    if (state.running) return state.running;
    state.startedAt = performance.now();
    state.running = this.list(server, state).finally(() => {
      state.running = null;
      // What changed while it was being read may have been read before it changed.
      if (state.isOutdated && this.states.get(server.id) === state) this.changed(server.id);
    });
    return state.running;
  }

  private async list(server: ToolServer, state: ServerState): Promise<void> {
    const { connections, discovery, toolRegistry, now, log } = this.deps;
    state.isOutdated = false;
    try {
      const signal = AbortSignal.timeout(this.deps.discoveryMs);
      const tools = await connections.list(server, signal);
      state.capabilities = tools.capabilities;
      // Nobody who waits for tools waits for a list of prompts that does not come.
      if (!this.isKnown(server))
        toolRegistry.putPins(server.id, await this.queue.run(() => discovery.record(server, tools)));
      const listing = await withOffers(tools, {
        slug: server.slug,
        ask: (request) => connections.ask(server, request),
        silenceMs: server.list_ms ?? this.deps.listMs,
        signal,
      });
      toolRegistry.putPins(server.id, await this.queue.run(() => discovery.record(server, listing)));
      state.failure = null;
    } catch (error) {
      const known = error instanceof ToolFailure ? error : null;
      if (!known) log.error("tools.look_failed", { server_id: server.id, ...causeOf(error) });
      else if (!state.failure)
        log.warn("tools.unreachable", { server_id: server.id, reason: known.reason, problem: known.message });
      state.failure = known ?? new ToolFailure("garbage", "Its tool list is invalid.", false, error);
    } finally {
      state.refreshedAt = now();
    }
  }

  private isDue({ refreshedAt }: ServerState): boolean {
    return hasPassed(this.deps.freshMs, refreshedAt, this.deps.now());
  }

  private stateOf({ id, credential_version }: ToolServer): ServerState {
    const known = this.states.get(id);
    if (known?.credentials === credential_version) return known;
    const state: ServerState = {
      credentials: credential_version,
      refreshedAt: 0,
      running: null,
      startedAt: 0,
      isOutdated: false,
      failure: null,
      capabilities: undefined,
    };
    this.states.set(id, state);
    return state;
  }
}

/** Resolves with the work, or when its time is up. */
export const within = (ms: number, work: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
