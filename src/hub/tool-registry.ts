import type { LabelsOf } from "#guard/redaction-labels";
import type { Scanner } from "#guard/scanner";
import { ToolCatalogue } from "#guard/tools/catalogue";
import { ToolConnections } from "#guard/tools/connections";
import { discoverTools } from "#guard/tools/discover";
import { ToolDiscovery } from "#guard/tools/discovery";
import { ToolRegistryCache } from "#guard/tools/registry-cache";
import { ResourceLists } from "#guard/tools/resource-lists";
import { ResourceWatches } from "#guard/tools/resource-watches";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { CompiledPolicy } from "#scan/policy";
import type { FeedChanges, ToolServerStore } from "#store/port";
import type { ToolConnector, ToolSharing } from "#upstream/tool-port";
import { feature } from "./feature";
import type { NeedsOf } from "./graph";
import { Listeners } from "./lifecycle";

/** How often connections to tool servers are looked after. Milliseconds. */
const TOOLS_MS = 15_000;

export type ToolRegistryOptions = {
  readonly connect: ToolConnector;
  /** With the other processes of this hub; null for one that serves alone. */
  readonly sharing: ToolSharing | null;
  readonly listMs: number;
  readonly discoveryMs: number;
  readonly listFreshMs: number;
  readonly idleMs: number;
  readonly maxConcurrent: number;
  readonly newTools: "pin" | "approve";
};

type Basics = { readonly now: Clock; readonly toolOptions: ToolRegistryOptions };
type Stored = { readonly tools: Pick<ToolServerStore, "pins" | "see"> };
type Listening = { readonly toolListChanged: Listeners<string> };
type DiscoveryParts = Basics &
  Stored & {
    readonly scanner: Scanner;
    readonly policyInForce: () => CompiledPolicy;
    readonly labelsOf: LabelsOf;
    readonly ids: Ids;
  };
type CatalogueParts = Basics &
  Listening &
  Pick<NeedsOf<typeof ToolCatalogue>, "toolRegistry" | "connections" | "discovery" | "log">;
type DiscoverParts = Basics & Stored & { readonly discovery: ToolDiscovery; readonly log: Log };
type Sharing = Basics & Pick<Registry, "toolRegistry" | "connections">;
type Registry = {
  readonly toolRegistry: ToolRegistryCache;
  readonly catalogue: ToolCatalogue;
  readonly resourceLists: ResourceLists;
  readonly resourceWatches: ResourceWatches;
  readonly connections: ToolConnections;
};

/** Tool servers, the connections to them, and the lists they give. */
export const toolRegistry = feature({
  provides: {
    toolRegistry: () => new ToolRegistryCache(),
    /** Told the id of a server that says so. */
    toolListChanged: () => new Listeners<string>(),
    connections: ({ toolOptions, now, toolListChanged }: Basics & Listening) => {
      const { connect, sharing, idleMs, maxConcurrent } = toolOptions;
      const shared: ToolConnector = (server, events) =>
        sharing === null ? connect(server, events) : sharing.through(server, () => connect(server, events));
      const onListChanged = (id: string): void => toolListChanged.tell(id);
      return new ToolConnections({ connect: shared, now, idleMs, maxConcurrent, onListChanged });
    },
    discovery: ({ tools, policyInForce: policy, labelsOf, toolOptions, now, ids, scanner }: DiscoveryParts) => {
      const { newTools } = toolOptions;
      return new ToolDiscovery({ tools, policy, labels: labelsOf(null), newTools, now, ids, pool: scanner.pool });
    },
    catalogue: ({ toolRegistry, connections, discovery, now, log, toolOptions, toolListChanged }: CatalogueParts) => {
      const { listFreshMs: freshMs, listMs, discoveryMs } = toolOptions;
      const catalogue = new ToolCatalogue({
        toolRegistry,
        connections,
        discovery,
        now,
        log,
        freshMs,
        listMs,
        discoveryMs,
      });
      toolListChanged.add((serverId) => catalogue.changed(serverId));
      return catalogue;
    },
    resourceLists: (c: CatalogueParts & Pick<Registry, "catalogue">) => {
      const { listFreshMs: freshMs, listMs, discoveryMs } = c.toolOptions;
      const { catalogue, connections, discovery, now, log } = c;
      const serverOf = (id: string) => c.toolRegistry.server(id);
      const parts = { serverOf, catalogue, connections, discovery, now, log };
      const lists = new ResourceLists({ ...parts, freshMs, listMs, discoveryMs });
      c.toolListChanged.add((serverId) => lists.changed(serverId));
      return lists;
    },
    resourceWatches: ({ toolRegistry, connections, now, log, toolOptions }: CatalogueParts) =>
      new ResourceWatches({
        serverOf: (id) => toolRegistry.server(id),
        connections,
        now,
        log,
        listMs: toolOptions.listMs,
      }),
    discoverServer: ({ toolOptions: { connect, discoveryMs }, discovery, tools, log }: DiscoverParts) =>
      discoverTools({ connect, discovery, tools, log, discoveryMs }),
  },
  onChange: ({ toolRegistry, catalogue, resourceLists, resourceWatches, connections }: Registry) => ({
    apply: ({ tools: registry, revision }: FeedChanges) => {
      if (!registry) return;
      toolRegistry.apply(registry, revision);
      catalogue.retain();
      resourceLists.retain(registry.servers);
      resourceWatches.retain();
      void connections.retain(registry.servers);
    },
  }),
  jobs: ({ catalogue, connections }: Registry) => [
    {
      name: "tools",
      everyMs: TOOLS_MS,
      run: () => {
        catalogue.checkHealth();
        return connections.closeIdle();
      },
    },
  ],
  prepare: (c: Sharing) => () => {
    c.toolOptions.sharing?.serve({
      find: (id, version) => {
        const server = c.toolRegistry.server(id);
        return server?.active && server.credential_version === version ? server : null;
      },
      list: (server, signal) => c.connections.list(server, signal),
      call: (server, call) => c.connections.call(server, call),
      ask: (server, request) => c.connections.ask(server, request),
      watch: (server, watch) => c.connections.watch(server, watch),
    });
  },
  quiesce: (c: Sharing) => () => c.toolOptions.sharing?.leave(),
  stop: (c: Sharing) => async () => {
    await c.toolOptions.sharing?.stop();
    await c.connections.closeAll();
  },
});
