/* What `/api/map` answers, as plain types: pages in a browser import them, so this file imports nothing. */

export type MapNode = {
  /** The id of what it is; of a tool, its server's id, a slash and its public name. */
  readonly id: string;
  readonly kind: "user" | "agent" | "tool_server" | "tool";
  readonly name: string;
  /** Of an agent its lifecycle, of a server `active` or `inactive`, of a tool `approved`, `changed` …; else null. */
  readonly status: string | null;
};

/** From a user to their agents and servers, from an agent to servers it may use, from a server to its tools. */
export type MapEdge = {
  readonly from: string;
  readonly to: string;
  /** Agent to server: the tools assigned, null for all of them. */
  readonly tools: readonly string[] | null;
};

export type FanOutMap = {
  readonly object: "map";
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  /** Not everything is in it: there is more than is shown at once. */
  readonly truncated: boolean;
};
