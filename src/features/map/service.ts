import type { Agent } from "#model/agent";
import { READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { pinState, type ToolAssignment, type ToolPin, type ToolServer } from "#model/tools/tool";
import type { FanOutMap, MapEdge, MapNode } from "./schema";

type MapServiceNeeds = {
  readonly agents: () => readonly Agent[];
  readonly user: (id: string) => User | null;
  readonly servers: () => Iterable<ToolServer>;
  readonly pinsOf: (serverId: string) => readonly ToolPin[];
  readonly assignmentsOf: (agentId: string) => ReadonlyMap<string, ToolAssignment>;
};

/** More than anybody can look at. */
const MAX_NODES = { agents: 300, servers: 150, toolsOfServer: 50, tools: 1_000 } as const;

/** Who may reach what: users, their agents, the servers these were given, and the tools there. */
export class MapService {
  constructor(private readonly deps: MapServiceNeeds) {}

  of(user: User): FanOutMap {
    const isAll = READING_ROLES.includes(user.role);
    const own = <T extends { readonly owner_id: string }>(items: Iterable<T>): T[] =>
      [...items].filter(({ owner_id }) => isAll || owner_id === user.id);
    const agents = own(this.deps.agents()).filter(({ lifecycle }) => lifecycle !== "retired");
    const servers = own(this.deps.servers());
    const shownAgents = agents.slice(0, MAX_NODES.agents);
    const shownServers = servers.slice(0, MAX_NODES.servers);
    const tools = this.toolsOf(shownServers);
    const owners = new Set([...shownAgents, ...shownServers].map(({ owner_id }) => owner_id));
    const nodes: MapNode[] = [
      ...[...owners].map((id) => ({ id, kind: "user" as const, name: this.deps.user(id)?.email ?? id, status: null })),
      ...shownAgents.map(({ id, name, lifecycle }) => ({ id, kind: "agent" as const, name, status: lifecycle })),
      ...shownServers.map(({ id, slug, active }) => ({
        id,
        kind: "tool_server" as const,
        name: slug,
        status: active ? "active" : "inactive",
      })),
      ...tools.nodes,
    ];
    return {
      object: "map",
      nodes,
      edges: [...this.edgesOf(shownAgents, shownServers), ...tools.edges],
      truncated: agents.length > MAX_NODES.agents || servers.length > MAX_NODES.servers || tools.isCut,
    };
  }

  private edgesOf(agents: readonly Agent[], servers: readonly ToolServer[]): MapEdge[] {
    const shown = new Set(servers.map(({ id }) => id));
    return [
      ...agents.map(({ id, owner_id }) => ({ from: owner_id, to: id, tools: null })),
      ...servers.map(({ id, owner_id }) => ({ from: owner_id, to: id, tools: null })),
      ...agents.flatMap(({ id }) =>
        [...this.deps.assignmentsOf(id).values()]
          .filter(({ server_id }) => shown.has(server_id))
          .map(({ server_id, tools }) => ({ from: id, to: server_id, tools })),
      ),
    ];
  }

  private toolsOf(servers: readonly ToolServer[]) {
    const nodes: MapNode[] = [];
    const edges: MapEdge[] = [];
    let isCut = false;
    for (const { id: server } of servers) {
      const pins = this.deps.pinsOf(server).filter(({ present }) => present);
      const room = Math.min(MAX_NODES.toolsOfServer, MAX_NODES.tools - nodes.length);
      if (pins.length > room) isCut = true;
      for (const pin of pins.slice(0, room)) {
        const id = `${server}/${pin.name}`;
        nodes.push({ id, kind: "tool", name: pin.name, status: pinState(pin) });
        edges.push({ from: server, to: id, tools: null });
      }
    }
    return { nodes, edges, isCut };
  }
}
