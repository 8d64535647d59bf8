import { Type } from "#core/schema";

import { listOf, Moment } from "#http/openapi/schemas";
import { MAX_PUBLISHED_AS } from "#model/tools/tool";

/* Answers of the MCP registry API, version v0.1, as far as the hub has something to say (modelcontextprotocol/registry). */

export const OFFICIAL = "io.modelcontextprotocol.registry/official";
export const SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const Server = Type.Object({
  $schema: Type.String({ format: "uri", examples: [SERVER_SCHEMA] }),
  name: Type.String({
    description: "The hub's host in reverse and the server's name.",
    pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
    examples: ["com.example.hub/files"],
  }),
  title: Type.String({ minLength: 1, maxLength: 100, examples: ["files"] }),
  description: Type.String({ minLength: 1, maxLength: MAX_PUBLISHED_AS, examples: ["Reads shared documents"] }),
  version: Type.String({ description: "Rises with its approved tools.", examples: ["2026.1127.93015"] }),
  remotes: listOf(
    Type.Object({
      type: Type.Literal("streamable-http"),
      url: Type.String({ format: "uri", examples: ["https://hub.example.com/mcp/gateway"] }),
    }),
  ),
});

export const Entry = Type.Object(
  {
    server: Server,
    _meta: Type.Object({
      [OFFICIAL]: Type.Object({
        status: Type.Literal("active"),
        publishedAt: Moment,
        updatedAt: Moment,
        isLatest: Type.Literal(true),
      }),
    }),
  },
  { $id: "RegistryEntry" },
);

export const EntryList = Type.Object(
  {
    servers: listOf(Entry),
    metadata: Type.Object({ count: Type.Integer(), nextCursor: Type.Optional(Type.String()) }),
  },
  { $id: "RegistryEntries" },
);

export const LIST_QUERY = {
  cursor: Type.String({ maxLength: 200, description: "nextCursor of the previous page." }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 30, description: "Maximum number of servers." }),
  search: Type.String({ maxLength: 200, description: "Part of the name." }),
  updated_since: Moment,
  version: Type.String({ maxLength: 100, description: "latest, or an exact version." }),
  include_deleted: Type.Boolean({ description: "Accepted; the hub lists no deleted servers." }),
} as const;
