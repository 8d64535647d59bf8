import type { JsonRecord } from "#core/json";
import { type Static, Type } from "#core/schema";
import { Id, listOf, orNull, pageSchema } from "#http/openapi/shapes";
import { ShownToolServer } from "./schema";

/* What the addresses of tool servers answer beside the servers themselves. */

export const ToolServerPage = pageSchema(ShownToolServer);

/** As it was found just now. */
export const ToolServerReport = Type.Object(
  {
    ...ShownToolServer.properties,
    ok: Type.Boolean(),
    problem: orNull(Type.String({ description: "Why it gave no tools." })),
    ms: orNull(Type.Number()),
    protocol: orNull(Type.String({ description: "The MCP version spoken.", examples: ["2025-11-25"] })),
  },
  { $id: "ToolServerReport" },
);
export type ToolServerReport = Static<typeof ToolServerReport>;

const Assigned = Type.Object({
  agent_id: Id,
  tools: orNull(listOf(Type.String({ examples: ["read_file"] }))),
});
export const AssignedToolServer = Type.Object(
  { ...ShownToolServer.properties, assignments: listOf(Assigned) },
  { $id: "AssignedToolServer" },
);

const Definition = Type.Unsafe<JsonRecord | null>({
  type: ["object", "null"],
  additionalProperties: true,
  examples: [{ name: "read_file", inputSchema: { type: "object" } }],
});
const Definitions = {
  name: Type.String({ examples: ["files__read_file"] }),
  tool: Type.String({ examples: ["read_file"] }),
  before: Definition,
  after: Definition,
};
export const ReadToolServer = Type.Object(
  {
    ...AssignedToolServer.properties,
    definitions: listOf(Type.Object({ ...Definitions, hash: Type.String() })),
  },
  { $id: "ReadToolServer", description: "With what each tool says now, and what of it was approved." },
);
export const ApprovedToolServer = Type.Object(
  {
    ...ToolServerReport.properties,
    approved: listOf(Type.Object({ name: Definitions.name, tool: Definitions.tool })),
  },
  { $id: "ApprovedToolServer" },
);
export const ShownAssignment = Type.Object(
  { agent_id: Id, server_id: Id, tools: Assigned.properties.tools },
  { $id: "ToolServerAssignment" },
);
export const RemovedToolServer = Type.Object({ id: Id, deleted: Type.Literal(true) }, { $id: "RemovedToolServer" });
export const RemovedAssignment = Type.Object(
  { server_id: Id, agent_id: Id, deleted: Type.Literal(true) },
  { $id: "RemovedToolServerAssignment" },
);
export const SignInPlace = Type.Object(
  { url: Type.String({ format: "uri", description: "Where a browser goes to sign the hub in." }) },
  { $id: "ToolServerSignIn" },
);

const { id, slug, owner, active, status, tools } = ShownToolServer.properties;
/** A server of which an agent is assigned something, with what that is. */
export const AgentTools = Type.Object(
  {
    ...{ id, slug, owner, active, status },
    all: Type.Boolean({ description: "Whether tools that are added later are assigned too." }),
    tools,
  },
  { $id: "AgentTools" },
);
export type AgentTools = Static<typeof AgentTools>;
export const AgentToolsPage = pageSchema(AgentTools);
