import type { ToolAssignment, ToolPin, ToolServer } from "#core/tool";
import type { ToolRegistry } from "#store/port";

/** The registry of tool servers in memory, kept fresh by the change feed. */
export class ToolRoster {
  /** The registry's revision: what records name as the allowlist's. */
  revision = 0;
  /** Raised whenever anything here changes; what is derived from the roster is kept by it. */
  version = 0;
  private byOwner: ReadonlyMap<string, readonly ToolServer[]> = new Map();
  private byId: ReadonlyMap<string, ToolServer> = new Map();
  private assigned: ReadonlyMap<string, ReadonlyMap<string, ToolAssignment>> = new Map();
  private pins = new Map<string, readonly ToolPin[]>();
  private readonly listeners = new Set<() => void>();

  take({ servers, pins, assignments }: ToolRegistry, revision: number): void {
    this.revision = revision;
    this.byId = new Map(servers.map((server) => [server.id, server]));
    this.byOwner = Map.groupBy(servers, ({ owner_id }) => owner_id);
    this.pins = Map.groupBy(pins, ({ server_id }) => server_id);
    const byAgent = Map.groupBy(assignments, ({ agent_id }) => agent_id);
    this.assigned = new Map(
      [...byAgent].map(([agent, list]) => [agent, new Map(list.map((one) => [one.server_id, one]))]),
    );
    this.changed();
  }

  /** What this process has just seen of a server, before the feed brings it back. */
  putPins(serverId: string, pins: readonly ToolPin[]): void {
    const before = this.pins.get(serverId) ?? [];
    if (pins.length === before.length && pins.every((pin, at) => isSame(pin, before[at]))) return;
    this.pins.set(serverId, pins);
    this.changed();
  }

  all(): Iterable<ToolServer> {
    return this.byId.values();
  }

  server(id: string): ToolServer | null {
    return this.byId.get(id) ?? null;
  }

  serversOf(userId: string): readonly ToolServer[] {
    return this.byOwner.get(userId) ?? [];
  }

  pinsOf(serverId: string): readonly ToolPin[] {
    return this.pins.get(serverId) ?? [];
  }

  /** What the agent was given, by server. */
  assignmentsOf(agentId: string): ReadonlyMap<string, ToolAssignment> {
    return this.assigned.get(agentId) ?? new Map();
  }

  /** Returns how to stop listening. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}

const isSame = (one: ToolPin, other: ToolPin | undefined): boolean =>
  other !== undefined &&
  one.tool === other.tool &&
  one.seen_hash === other.seen_hash &&
  one.pinned_hash === other.pinned_hash &&
  one.present === other.present &&
  one.refused === other.refused;
