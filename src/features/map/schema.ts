import { type Static, Type } from "#core/schema";
import { listOf, oneOf, orNull } from "#http/openapi/schemas";

/* What `/api/map` answers. */

export const MapNode = Type.Object(
  {
    id: Type.String({ description: "Id; for a tool: id of its server, a slash, and its public name." }),
    kind: oneOf(["user", "agent", "tool_server", "tool"]),
    name: Type.String(),
    status: orNull(
      Type.String({
        description:
          "Of an agent its lifecycle, of a server `active` or `inactive`, of a tool `approved`, `changed` …; else null.",
      }),
    ),
  },
  { $id: "MapNode" },
);
export type MapNode = Static<typeof MapNode>;

/** From a user to their agents and servers, from an agent to servers it may use, from a server to its tools. */
export const MapEdge = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    /** Agent to server: the tools assigned, null for all of them. */
    tools: orNull(listOf(Type.String())),
  },
  { $id: "MapEdge" },
);
export type MapEdge = Static<typeof MapEdge>;

export const FanOutMap = Type.Object(
  {
    object: Type.Literal("map"),
    nodes: listOf(MapNode),
    edges: listOf(MapEdge),
    truncated: Type.Boolean({ description: "Incomplete: there are more nodes than the limit." }),
  },
  { $id: "FanOutMap" },
);
export type FanOutMap = Static<typeof FanOutMap>;
