import { MIN_BETWEEN_MS, type ToolCatalogue, within } from "#guard/tools/catalogue";
import type { ToolConnections } from "#guard/tools/connections";
import type { ToolDiscovery } from "#guard/tools/discovery";
import { pagesOf } from "#guard/tools/pages";
import { type ResourceDefinition, resourceDefinition, shownResource } from "#model/tools/offered-definition";
import type { ToolServer } from "#model/tools/tool";
import { type Clock, hasPassed } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import { type Pause, slices } from "#platform/slices";
import { ToolFailure, type UpstreamRequest } from "#upstream/tool-port";

/** Of one server; kept in memory. */
const MAX_RESOURCES = 5_000;
const MAX_LIST_SIZE = 4_194_304;
/** Servers whose lists are kept. */
const MAX_SERVERS = 1_000;

/** A resource as it may be listed. */
export type ListedResource = {
  /** The server's own. */
  readonly uri: string;
  /** As callers are told it. */
  readonly publicUri: string;
  readonly json: string;
};

type State = {
  /** The version of the server's credentials it was asked with. */
  readonly credentials: number;
  resources: readonly ListedResource[];
  /** Raised whenever they change. */
  version: number;
  /** Unix milliseconds of the last look's end; 0 for none. */
  refreshedAt: number;
  running: Promise<void> | null;
  /** The list changed since its last look began. */
  isOutdated: boolean;
  failure: ToolFailure | null;
};

type ResourceListsNeeds = {
  readonly serverOf: (id: string) => ToolServer | null;
  readonly catalogue: Pick<ToolCatalogue, "mayOfferResources">;
  readonly connections: ToolConnections;
  readonly discovery: ToolDiscovery;
  readonly now: Clock;
  readonly log: Log;
  /** How long a list is taken for fresh, milliseconds. */
  readonly freshMs: number;
  /** Longest wait for one server's list, milliseconds. */
  readonly listMs: number;
  /** A slow server is waited for no longer than `listMs`; what it answers until then still comes in. Milliseconds. */
  readonly discoveryMs: number;
};

/**
 * The resources of tool servers. They come and go, so that they are not pinned: each look scans what is listed and leaves
 * out what the policy would not let pass. Asked for when callers ask, and kept for a while; nothing is stored.
 */
export class ResourceLists {
  private readonly states = new Map<string, State>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly deps: ResourceListsNeeds) {}

  /** Resolves when every one of the servers is known or had its time. */
  async ready(servers: readonly ToolServer[]): Promise<void> {
    const waiting: Promise<unknown>[] = [];
    for (const server of servers) {
      if (!server.active) continue;
      const state = this.stateOf(server);
      if (!hasPassed(this.deps.freshMs, state.refreshedAt, this.deps.now())) continue;
      const running = this.refresh(server, state);
      if (state.refreshedAt === 0) waiting.push(within(server.list_ms ?? this.deps.listMs, running));
    }
    await Promise.all(waiting);
  }

  of({ id }: ToolServer): readonly ListedResource[] {
    return this.states.get(id)?.resources ?? [];
  }

  versionOf({ id }: ToolServer): number {
    return this.states.get(id)?.version ?? 0;
  }

  failureOf({ id }: ToolServer): ToolFailure | null {
    return this.states.get(id)?.failure ?? null;
  }

  /** The server says that its list has changed. */
  changed(serverId: string): void {
    const state = this.states.get(serverId);
    // Only somebody who has asked for its list is told.
    if (!state || state.isOutdated) return;
    state.isOutdated = true;
    this.lookSoon(serverId, state);
  }

  /** Not at once where the last look has only just ended: a server may say every moment that its list has changed. */
  private lookSoon(serverId: string, state: State): void {
    const look = () => {
      const server = this.deps.serverOf(serverId);
      const isStill = state.isOutdated && this.states.get(serverId) === state;
      if (isStill && server?.active) void this.refresh(server, state);
    };
    const wait = Math.min(MIN_BETWEEN_MS, state.refreshedAt + MIN_BETWEEN_MS - this.deps.now());
    if (wait <= 0) look();
    else setTimeout(look, wait).unref();
  }

  /** Returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets the lists of servers that are gone. */
  retain(servers: Iterable<ToolServer>): void {
    const ids = new Set([...servers].map(({ id }) => id));
    for (const id of this.states.keys()) if (!ids.has(id)) this.states.delete(id);
  }

  /** Never rejects. */
  private refresh(server: ToolServer, state: State): Promise<void> {
    state.running ??= this.look(server, state).finally(() => {
      state.running = null;
      // What changed while it was being read may have been read before it changed.
      if (state.isOutdated) this.lookSoon(server.id, state);
    });
    return state.running;
  }

  private async look(server: ToolServer, state: State): Promise<void> {
    const { catalogue, discovery, now, log } = this.deps;
    state.isOutdated = false;
    try {
      const listed = catalogue.mayOfferResources(server) ? await this.pages(server) : [];
      const pause = slices.begin();
      const passed = await discovery.passing(server, await resourcesIn(listed, pause));
      const resources: ListedResource[] = [];
      for (const resource of passed) {
        const wait = pause();
        if (wait) await wait;
        const shown = shownResource(resource, server.slug);
        resources.push({ uri: resource.uri, publicUri: shown.uri, json: JSON.stringify(shown) });
      }
      const before = state.resources;
      state.resources = resources;
      if (!isSame(before, resources)) {
        state.version += 1;
        for (const listener of this.listeners) listener();
      }
      state.failure = null;
    } catch (error) {
      const known = error instanceof ToolFailure ? error : null;
      if (!known) log.error("resources.look_failed", { server_id: server.id, ...causeOf(error) });
      state.failure = known ?? new ToolFailure("garbage", "Its list of resources is invalid.", false, error);
    } finally {
      state.refreshedAt = now();
    }
  }

  private pages(server: ToolServer): Promise<readonly unknown[]> {
    const { connections, listMs, discoveryMs } = this.deps;
    const asking = {
      slug: server.slug,
      ask: (request: UpstreamRequest) => connections.ask(server, request),
      silenceMs: server.list_ms ?? listMs,
      signal: AbortSignal.timeout(discoveryMs),
    };
    return pagesOf(asking, "resources/list", "resources");
  }

  private stateOf({ id, credential_version }: ToolServer): State {
    const known = this.states.get(id);
    if (known?.credentials === credential_version) return known;
    if (this.states.size >= MAX_SERVERS) this.states.clear();
    const state: State = {
      credentials: credential_version,
      resources: [],
      version: 0,
      refreshedAt: 0,
      running: null,
      isOutdated: false,
      failure: null,
    };
    this.states.set(id, state);
    return state;
  }
}

const isSame = (one: readonly ListedResource[], other: readonly ListedResource[]): boolean =>
  one.length === other.length && one.every(({ json }, at) => json === other[at]?.json);

/** The first of each URI. */
const resourcesIn = async (values: readonly unknown[], pause: Pause): Promise<ResourceDefinition[]> => {
  const found = new Map<string, ResourceDefinition>();
  let size = 0;
  for (const value of values) {
    const wait = pause();
    if (wait) await wait;
    const resource = resourceDefinition(value);
    if (!resource || found.has(resource.uri)) continue;
    size += JSON.stringify(resource).length;
    if (found.size === MAX_RESOURCES || size > MAX_LIST_SIZE) break;
    found.set(resource.uri, resource);
  }
  return [...found.values()];
};
