import { Shape, type TSchema, Type } from "#core/schema";
import { ServerJson } from "#features/registry/server-json";

/*
 * What the MCP registry API says of its answers, written down by hand from modelcontextprotocol/registry
 * (docs/reference/api/openapi.yaml of v1.8.9: ServerList, ServerResponse and the bodies of its errors). Closed where the
 * original is closed.
 */

const closed = { additionalProperties: false } as const;
const Rfc3339 = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$" });

const Official = Type.Object(
  {
    status: Type.Optional(Type.Union(["active", "deprecated", "deleted"].map((one) => Type.Literal(one)))),
    statusMessage: Type.Optional(Type.String({ maxLength: 500 })),
    statusChangedAt: Type.Optional(Rfc3339),
    publishedAt: Type.Optional(Rfc3339),
    updatedAt: Type.Optional(Rfc3339),
    isLatest: Type.Optional(Type.Boolean()),
  },
  closed,
);

const ServerResponse = Type.Object({
  server: ServerJson,
  _meta: Type.Optional(Type.Object({ "io.modelcontextprotocol.registry/official": Type.Optional(Official) })),
});
const ServerList = Type.Object({
  servers: Type.Array(ServerResponse),
  metadata: Type.Optional(
    Type.Object({ nextCursor: Type.Optional(Type.String()), count: Type.Optional(Type.Integer()) }),
  ),
});
const Failure = Type.Object({ error: Type.Optional(Type.String()) });

const faultsBy = (schema: TSchema) => {
  const shape = new Shape(schema);
  return (value: unknown) => [...shape.faults(value)].map(({ path, message }) => `${path}: ${message}`);
};

/** What is wrong with an answer, place by place. */
export const faultsInList = faultsBy(ServerList);
export const faultsInEntry = faultsBy(ServerResponse);
export const faultsInFailure = faultsBy(Failure);
