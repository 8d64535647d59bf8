import { isRecord } from "#core/json/json";
import { shownPrompt, shownTemplate } from "#model/tools/offered-definition";
import {
  type PinKind,
  pinState,
  type ToolAssignment,
  type ToolDefinition,
  type ToolPin,
  type ToolServer,
} from "#model/tools/tool";
import { isStoredTask, shownDefinition } from "#model/tools/tool-definition";
import type { EffectHints } from "#policy/profile/permits";
import type { ToolRegistry } from "#store/port";

/** A tool as callers are shown it, under its public name, and its JSON. */
export type ShownTool = { readonly definition: ToolDefinition; readonly json: string; readonly isTask: boolean };

/** Parts that clients put before the name of a tool. */
const MAX_PREFIXES = 3;

/** The registry of tool servers in memory, kept fresh by the change feed. */
export class ToolRegistryCache {
  /** The registry's revision: what records name as the allowlist's. */
  revision = 0;
  /** Raised whenever anything here changes; what is derived from the roster is kept by it. */
  version = 0;
  private byOwner: ReadonlyMap<string, readonly ToolServer[]> = new Map();
  private byId: ReadonlyMap<string, ToolServer> = new Map();
  /** By agent, then by server. */
  private readonly assigned = new Map<string, Map<string, ToolAssignment>>();
  private readonly agentsOf = new Map<string, readonly string[]>();
  /** Of all kinds. */
  private readonly pins = new Map<string, readonly ToolPin[]>();
  private readonly kinds = new WeakMap<readonly ToolPin[], Partial<Record<PinKind, readonly ToolPin[]>>>();
  private readonly offers = new WeakMap<ToolPin, string>();
  private readonly shown = new WeakMap<ToolPin, ShownTool>();
  private readonly listeners = new Set<() => void>();

  /** Costs what changed, and a moment a server. */
  apply({ servers, changed, pins, assignments }: ToolRegistry, revision: number): void {
    this.revision = revision;
    const before = this.byId;
    this.byId = new Map(servers.map((server) => [server.id, server]));
    this.byOwner = Map.groupBy(servers, ({ owner_id }) => owner_id);
    for (const id of before.keys()) if (!this.byId.has(id)) this.drop(id);
    const last = new Map([...changed].map((id) => [id, this.allPinsOf(id)]));
    for (const id of changed) this.drop(id);
    for (const [id, list] of Map.groupBy(pins, ({ server_id }) => server_id)) {
      const known = last.get(id);
      // Mostly what this process has seen itself: what was made of it stays.
      this.pins.set(id, known && Bun.deepEquals(known, list) ? known : list);
    }
    for (const [id, list] of Map.groupBy(assignments, ({ server_id }) => server_id)) this.assign(id, list);
    this.changed();
  }

  /** Forgets the tools and assignments of a server. */
  private drop(serverId: string): void {
    this.pins.delete(serverId);
    for (const agent of this.agentsOf.get(serverId) ?? []) {
      const servers = this.assigned.get(agent);
      servers?.delete(serverId);
      if (servers?.size === 0) this.assigned.delete(agent);
    }
    this.agentsOf.delete(serverId);
  }

  private assign(serverId: string, list: readonly ToolAssignment[]): void {
    for (const one of list) {
      const servers = [...(this.assigned.get(one.agent_id) ?? []), [serverId, one] as const];
      this.assigned.set(one.agent_id, new Map(servers.sort(([a], [b]) => (a < b ? -1 : 1))));
    }
    this.agentsOf.set(
      serverId,
      list.map(({ agent_id }) => agent_id),
    );
  }

  /** What this process has just seen of a server, before the feed brings it back. */
  putPins(serverId: string, pins: readonly ToolPin[]): void {
    // Nobody would take the tools of a removed server out again.
    if (!this.byId.has(serverId)) return;
    const before = this.allPinsOf(serverId);
    if (pins.length === before.length && pins.every((pin, at) => isSame(pin, before[at]))) return;
    this.pins.set(serverId, pins);
    // Not when the first list waits for the last of many servers.
    for (const pin of pins) if (pin.kind === "tool" && pin.present && pinState(pin) === "approved") this.shownOf(pin);
    this.changed();
  }

  /** The JSON of a prompt or template, as callers are shown it. Made once a pin. */
  offerJson(pin: ToolPin, slug: string): string {
    const known = this.offers.get(pin);
    if (known !== undefined) return known;
    const stored = pin.pinned ?? pin.seen;
    const shown = pin.kind === "prompt" ? shownPrompt(stored, pin.name) : shownTemplate(stored, slug, pin.name);
    const json = JSON.stringify(shown);
    this.offers.set(pin, json);
    return json;
  }

  /** Made once a pin. */
  shownOf(pin: ToolPin): ShownTool {
    const known = this.shown.get(pin);
    if (known) return known;
    const stored = pin.pinned ?? pin.seen;
    const definition = shownDefinition(stored, pin.name);
    const shown = { definition, json: JSON.stringify(definition), isTask: isStoredTask(stored) };
    this.shown.set(pin, shown);
    return shown;
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

  pinsOf(serverId: string, kind: PinKind = "tool"): readonly ToolPin[] {
    const all = this.allPinsOf(serverId);
    const known = this.kinds.get(all) ?? {};
    const pins = known[kind] ?? all.filter((pin) => pin.kind === kind);
    this.kinds.set(all, { ...known, [kind]: pins });
    return pins;
  }

  allPinsOf(serverId: string): readonly ToolPin[] {
    return this.pins.get(serverId) ?? NO_PINS;
  }

  /** What the agent was given, by server. */
  assignmentsOf(agentId: string): ReadonlyMap<string, ToolAssignment> {
    return this.assigned.get(agentId) ?? new Map();
  }

  /** Public names of the tools that are approved for the user, sorted. */
  approvedNamesOf(userId: string): string[] {
    return this.serversOf(userId)
      .flatMap(({ id }) => this.pinsOf(id))
      .filter((pin) => pin.present && pinState(pin) === "approved")
      .map(({ name }) => name)
      .sort();
  }

  /**
   * The public name of a tool of the user's servers that a model means; null for none. Clients show models the public name
   * as it is, or with their own name of the gateway before it: `mcp__hub__crm__find`.
   */
  nameOf(userId: string, asked: string): string | null {
    let name = asked;
    for (let cut = 0; cut <= MAX_PREFIXES; cut += 1) {
      const at = name.indexOf("__");
      if (at === -1) return null;
      const slug = name.slice(0, at);
      const wanted = name;
      for (const server of this.serversOf(userId)) {
        if (server.slug === slug && this.pinsOf(server.id).some((pin) => pin.name === wanted)) return wanted;
      }
      name = name.slice(at + 2);
    }
    return null;
  }

  /** What the approved definition of a tool of the user's says of its effect; null for a tool that has none. */
  effectHintsOf(userId: string, asked: string): EffectHints | null {
    for (const pin of this.pinsMeant(userId, asked)) {
      const hints = this.shownOf(pin).definition.annotations;
      if (isRecord(hints)) return hints;
    }
    return null;
  }

  /**
   * The approved tool of the user's that a model's client declares under a name, as the gateway describes it; null for a
   * function of the client's own, whatever its name. Without a `description` the name alone counts.
   */
  declaredTool(userId: string, asked: string, description: string | null): ToolPin | null {
    for (const pin of this.pinsMeant(userId, asked)) {
      if (!pin.present || pinState(pin) !== "approved") continue;
      const shown = this.shownOf(pin).definition.description;
      if (
        description === null ||
        (typeof shown === "string" && shown.trim() !== "" && shown.trim() === description.trim())
      )
        return pin;
    }
    return null;
  }

  private pinsMeant(userId: string, asked: string): readonly ToolPin[] {
    const name = this.nameOf(userId, asked);
    if (name === null) return [];
    return this.serversOf(userId).flatMap(({ id }) => this.pinsOf(id).filter((pin) => pin.name === name));
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

const NO_PINS: readonly ToolPin[] = [];

const isSame = (one: ToolPin, other: ToolPin | undefined): boolean =>
  other !== undefined &&
  one.kind === other.kind &&
  one.tool === other.tool &&
  one.seen_hash === other.seen_hash &&
  one.pinned_hash === other.pinned_hash &&
  one.present === other.present &&
  one.refused === other.refused;
