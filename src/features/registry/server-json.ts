import { Shape, type Static, type TSchema, Type } from "#core/schema";
import { oneOf } from "#http/openapi/schemas";
import { MAX_PUBLISHED_AS } from "#model/tools/tool";

/*
 * The `server` object of the MCP registry, of schema 2025-12-11 (modelcontextprotocol/registry, server.schema.json and
 * docs/reference/api/openapi.yaml). What the schema does not name is kept.
 */

export const SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const opt = Type.Optional;
/** An address, in which `{name}` stands for a variable. */
const UrlTemplate = Type.String({ pattern: "^(https?://\\S+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}\\S*)$", maxLength: 2_048 });

const INPUT = {
  description: opt(Type.String()),
  isRequired: opt(Type.Boolean()),
  format: opt(oneOf(["string", "number", "boolean", "filepath"])),
  value: opt(Type.String()),
  isSecret: opt(Type.Boolean()),
  default: opt(Type.String()),
  placeholder: opt(Type.String()),
  choices: opt(Type.Array(Type.String())),
};
const Input = Type.Object(INPUT);
export type Input = Static<typeof Input>;

const Variables = opt(Type.Record(Type.String(), Input));
const VALUE = { ...INPUT, variables: Variables };
const KeyValue = Type.Object({ name: Type.String({ minLength: 1 }), ...VALUE });
const Repeated = { isRepeated: opt(Type.Boolean()) };
const Positional = Type.Object({
  type: Type.Literal("positional"),
  valueHint: opt(Type.String()),
  ...Repeated,
  ...VALUE,
});
const Named = Type.Object({ type: Type.Literal("named"), name: Type.String(), ...Repeated, ...VALUE });
const Argument = Type.Union([Positional, Named]);
export type Argument = Static<typeof Argument>;
/** A value that is said, made of variables, or asked for. */
export type Value = Pick<Static<typeof KeyValue>, keyof typeof VALUE>;

const overHttp = <const T extends string>(type: T, more: Record<string, TSchema> = {}) =>
  Type.Object({ type: Type.Literal(type), url: UrlTemplate, headers: opt(Type.Array(KeyValue)), ...more });
const Remote = Type.Union([
  Type.Intersect([overHttp("streamable-http"), Type.Object({ variables: Variables })]),
  Type.Intersect([overHttp("sse"), Type.Object({ variables: Variables })]),
]);
export type Remote = Static<typeof Remote>;

const Package = Type.Object({
  registryType: Type.String({ minLength: 1 }),
  registryBaseUrl: opt(Type.String()),
  identifier: Type.String({ minLength: 1 }),
  version: opt(Type.String({ minLength: 1, maxLength: 255, not: { const: "latest" } })),
  fileSha256: opt(Type.String({ pattern: "^[a-f0-9]{64}$", examples: ["0".repeat(64)] })),
  runtimeHint: opt(Type.String()),
  transport: Type.Union([Type.Object({ type: Type.Literal("stdio") }), overHttp("streamable-http"), overHttp("sse")]),
  runtimeArguments: opt(Type.Array(Argument)),
  packageArguments: opt(Type.Array(Argument)),
  environmentVariables: opt(Type.Array(KeyValue)),
});
export type Package = Static<typeof Package>;

export const ServerJson = Type.Object(
  {
    $schema: opt(Type.String({ examples: [SERVER_SCHEMA] })),
    name: Type.String({
      minLength: 3,
      maxLength: 200,
      pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
      examples: ["com.example/files"],
    }),
    title: opt(Type.String({ minLength: 1, maxLength: 100 })),
    description: Type.String({ minLength: 1, maxLength: MAX_PUBLISHED_AS, examples: ["Reads shared documents"] }),
    version: Type.String({ minLength: 1, maxLength: 255, examples: ["1.0.2"] }),
    websiteUrl: opt(Type.String()),
    repository: opt(
      Type.Object({
        url: Type.String(),
        source: Type.String(),
        id: opt(Type.String()),
        subfolder: opt(Type.String()),
      }),
    ),
    icons: opt(Type.Array(Type.Object({ src: Type.String({ maxLength: 255 }) }))),
    packages: opt(Type.Array(Package)),
    remotes: opt(Type.Array(Remote)),
    _meta: opt(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: "ServerJson", description: "A server as the MCP registry describes it (server.json)." },
);
export type ServerJson = Static<typeof ServerJson>;

export const serverJson = new Shape(ServerJson);
