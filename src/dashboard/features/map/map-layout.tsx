import type { AnswerTo } from "#dashboard/api/client";

export type FanOut = AnswerTo<"GET /api/map">;
export type Node = FanOut["nodes"][number];
type Edge = FanOut["edges"][number];
export type Way = readonly [user: string, agent: string, server: string, tool: string];

export const KINDS = ["user", "agent", "tool_server", "tool"] as const;
export const TITLES = { user: "Users", agent: "Agents", tool_server: "Tool servers", tool: "Tools" } as const;

export const ROW = 30;
export const BOX = { width: 192, height: 24 } as const;
const GAP = 64;
const TOP = 34;

export type PlacedNode = Node & { readonly x: number; readonly y: number };
type Curve = Edge & { readonly path: string };
type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly curves: readonly Curve[];
  readonly columns: readonly { readonly kind: (typeof KINDS)[number]; readonly x: number }[];
};

/** The whole map, for following edges both ways. */
export class Graph {
  readonly byId: ReadonlyMap<string, Node>;
  private readonly forth: ReadonlyMap<string, readonly Edge[]>;
  private readonly back: ReadonlyMap<string, readonly Edge[]>;

  constructor({ nodes, edges }: Pick<FanOut, "nodes" | "edges">) {
    this.byId = new Map(nodes.map((node) => [node.id, node]));
    const known = edges.filter(({ from, to }) => this.byId.has(from) && this.byId.has(to));
    this.forth = Map.groupBy(known, ({ from }) => from);
    this.back = Map.groupBy(known, ({ to }) => to);
  }

  /** Everything that reaches it, and everything it reaches: an agent only the tools that were assigned to it. */
  around(id: string): ReadonlySet<string> {
    const found = new Set([id]);
    const kind = this.byId.get(id)?.kind;
    if (kind === "user") for (const { to } of this.from(id)) this.addDown(to, found, null);
    else this.addDown(id, found, null);
    if (kind === "tool") this.addUsersOf(id, found);
    else this.addUp(id, found);
    return found;
  }

  private from(id: string): readonly Edge[] {
    return this.forth.get(id) ?? [];
  }

  private to(id: string): readonly Edge[] {
    return this.back.get(id) ?? [];
  }

  private addDown(id: string, found: Set<string>, assigned: Edge["tools"]): void {
    found.add(id);
    for (const { to, tools } of this.from(id)) {
      const node = this.byId.get(to);
      if (node?.kind !== "tool") this.addDown(to, found, tools);
      else if (allows(assigned, node)) found.add(to);
    }
  }

  private addUp(id: string, found: Set<string>): void {
    for (const { from } of this.to(id)) {
      found.add(from);
      this.addUp(from, found);
    }
  }

  /** Its server, and the agents it is assigned to, with their owners. */
  private addUsersOf(id: string, found: Set<string>): void {
    const node = this.byId.get(id);
    for (const { from: server } of this.to(id)) {
      found.add(server);
      for (const { from, tools } of this.to(server)) {
        if (node && !allows(tools, node)) continue;
        found.add(from);
        this.addUp(from, found);
      }
    }
  }

  /** One line a way from a user to a tool. */
  ways(): readonly Way[] {
    return [...this.byId.values()].filter(({ kind }) => kind === "agent").flatMap((agent) => this.waysOf(agent));
  }

  private waysOf({ id, name }: Node): Way[] {
    const owner = this.nameOf(this.to(id)[0]?.from ?? "");
    return this.from(id).flatMap(({ to: server, tools }) =>
      this.from(server).flatMap(({ to }): Way[] => {
        const node = this.byId.get(to);
        return node && allows(tools, node) ? [[owner, name, this.nameOf(server), node.name]] : [];
      }),
    );
  }

  private nameOf(id: string): string {
    return this.byId.get(id)?.name ?? "";
  }
}

/** Assignments have tools by their own names, the map by public ones, which have the server's in front. */
const allows = (assigned: Edge["tools"], { name }: Node): boolean =>
  assigned === null || assigned.some((tool) => name === tool || name.slice(name.indexOf("__") + 2) === tool);

/** Four columns; what belongs together stands at about the same height, so that few lines cross. */
export const drawn = ({ nodes, edges }: Pick<FanOut, "nodes" | "edges">): Drawing => {
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const used = new Set(edges.filter(({ from }) => kinds.get(from) === "agent").map(({ to }) => to));
  const back = Map.groupBy(edges, ({ to }) => to);
  const order = new Map<string, number>();
  const placed = new Map<string, PlacedNode>();
  const columns = KINDS.filter((kind) => nodes.some((node) => node.kind === kind)).map((kind, at) => ({
    kind,
    x: at * (BOX.width + GAP),
  }));
  const longest = Math.max(1, ...columns.map(({ kind }) => nodes.filter((node) => node.kind === kind).length));
  for (const { kind, x } of columns) {
    const middle = (node: Node): number => {
      const before = (back.get(node.id) ?? []).flatMap(({ from }) => order.get(from) ?? []);
      return before.length === 0 ? Number.MAX_SAFE_INTEGER : before.reduce((sum, one) => sum + one, 0) / before.length;
    };
    const column = nodes
      .filter((node) => node.kind === kind)
      .map((node) => ({ node, middle: middle(node) }))
      .toSorted((a, b) => a.middle - b.middle || a.node.name.localeCompare(b.node.name));
    const step = (longest * ROW) / Math.max(1, column.length);
    for (const [at, { node }] of column.entries()) {
      const y = TOP + step * (at + 0.5) - BOX.height / 2;
      order.set(node.id, y);
      placed.set(node.id, { ...node, x, y });
    }
  }
  const curves = edges.flatMap((edge) => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)];
    // Whose server it is says its own page; where agents use it, the line from its owner goes through them.
    const isOwning = kinds.get(edge.from) === "user" && used.has(edge.to);
    return from && to && !isOwning ? [{ ...edge, path: curveOf(from, to) }] : [];
  });
  const width = Math.max(BOX.width, (columns.at(-1)?.x ?? 0) + BOX.width);
  return { width, height: TOP + longest * ROW + 8, nodes: [...placed.values()], curves, columns };
};

const curveOf = (from: PlacedNode, to: PlacedNode): string => {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const bend = (x2 - x1) / 2;
  return `M${x1},${y1.toFixed(1)} C${x1 + bend},${y1.toFixed(1)} ${x2 - bend},${y2.toFixed(1)} ${x2},${y2.toFixed(1)}`;
};

/** Only what has to do with these. */
export const narrowed = (map: FanOut, ids: readonly string[]): Pick<FanOut, "nodes" | "edges"> => {
  const graph = new Graph(map);
  const kept = ids
    .filter((id) => graph.byId.has(id))
    .map((id) => graph.around(id))
    .reduce<ReadonlySet<string> | null>((all, one) => (all === null ? one : all.intersection(one)), null);
  if (kept === null) return map;
  return {
    nodes: map.nodes.filter(({ id }) => kept.has(id)),
    edges: map.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
};
