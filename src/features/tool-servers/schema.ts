import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { PLAIN_URL } from "#core/ip-range";
import { isRecord, type JsonRecord } from "#core/json/json";
import { checkedLater, type Static, Type } from "#core/schema";
import { Id, listOf, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { type ReadingBudget, readingBudget, reasonsFor } from "#model/tools/definition-reasons";
import {
  awaitsApproval,
  CREDENTIAL_KINDS,
  MAX_PUBLISHED_AS,
  PIN_STATES,
  pinState,
  SLUG,
  type ToolCredentials,
  type ToolPin,
  type ToolServer,
  TRANSPORTS,
} from "#model/tools/tool";
import type { DiscoveryResult } from "./port";

/* What is sent. */

const closed = { additionalProperties: false } as const;

const Optional = Type.Optional(orNull(Type.String()));
export const Credentials = Type.Union(
  [
    Type.Object({ kind: Type.Literal("none") }, closed),
    Type.Object({ kind: Type.Literal("headers"), headers: Type.Record(Type.String(), Type.String()) }, closed),
    Type.Object(
      {
        kind: Type.Literal("client_credentials"),
        client_id: Type.String({ minLength: 1 }),
        client_secret: Type.String({ minLength: 1 }),
        scope: Optional,
      },
      closed,
    ),
    Type.Object(
      { kind: Type.Literal("authorization_code"), client_id: Optional, client_secret: Optional, scope: Optional },
      closed,
    ),
  ],
  {
    description:
      "{kind: none}, {kind: headers, headers}, {kind: client_credentials, client_id, client_secret} or {kind: authorization_code}.",
  },
);

/** Null for none. */
export const credentialsFrom = (given: Static<typeof Credentials>): ToolCredentials | null => {
  if (given.kind === "none") return null;
  if (given.kind === "headers") return given;
  const scope = given.scope ?? null;
  if (given.kind === "client_credentials") return { ...given, scope };
  return { kind: given.kind, client_id: given.client_id ?? null, client_secret: given.client_secret ?? null, scope };
};

const Wait = Type.Optional(
  orNull(
    Type.Integer({
      minimum: 1,
      maximum: 86_400_000,
      description: "Milliseconds from 1 to 86400000, or null for the hub's default.",
    }),
  ),
);
const Tools = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: 2_000,
  description: "Names of 1 to 2000 tools.",
});

export const NewToolServer = Type.Object(
  {
    slug: Type.String({
      description: "Lower-case letters, digits and '-', at most 24.",
      ...checkedLater({ pattern: SLUG.source }),
    }),
    url: Type.String({
      description: "An http or https address, without user, password and fragment.",
      ...checkedLater({ pattern: PLAIN_URL, maxLength: 2_048 }),
    }),
    transport: Type.Optional(oneOf(["streamable-http", "sse"])),
    credentials: Type.Optional(Credentials),
    call_ms: Wait,
    list_ms: Wait,
  },
  { ...closed, $id: "NewToolServer" },
);

export const ToolServerChange = Type.Object(
  {
    active: Type.Optional(Type.Boolean({ description: "Whether agents may use it." })),
    credentials: Type.Optional(Credentials),
    call_ms: Wait,
    list_ms: Wait,
  },
  { ...closed, minProperties: 1, $id: "ToolServerChange" },
);

export const Approval = Type.Object(
  {
    tools: Type.Array(Type.Object({ tool: Type.String(), hash: Type.String() }, closed), {
      minItems: 1,
      maxItems: 2_000,
      description: "Each tool with the hash of the definition that was read.",
    }),
  },
  { ...closed, $id: "ToolApproval" },
);

export const Assignment = Type.Object({ tools: Type.Optional(orNull(Tools)) }, { ...closed, $id: "ToolAssignment" });

export const Publication = Type.Object(
  {
    description: Type.String({
      description: `One line of at most ${MAX_PUBLISHED_AS} characters: what the registry says of the server.`,
      ...checkedLater({ minLength: 1, maxLength: MAX_PUBLISHED_AS }),
    }),
  },
  { ...closed, $id: "ToolServerPublication" },
);

/** Throws `parameter_not_allowed` for what would start a program on the hub's machine. */
export const refuseProgram = (body: unknown): void => {
  if (!isRecord(body) || (!("command" in body) && body["transport"] !== "stdio")) return;
  throw new GuardError(
    "parameter_not_allowed",
    `Tool servers started as programs are added by operators: ${commandLine(COMMANDS.addToolProgram("SLUG", "EMAIL"))}`,
    { param: "command" in body ? "command" : "transport" },
  );
};

/* What is answered. */

export const SERVER_STATUSES = ["inactive", "unreachable", "unauthorized", "changed", "active"] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];

export const ToolResponse = Type.Object({
  name: Type.String({ description: "Public name." }),
  tool: Type.String({ description: "Name at the tool server." }),
  status: oneOf(PIN_STATES),
  flags: Type.Array(Type.String(), { description: "Findings in the definition." }),
  reasons: Type.Array(
    Type.Object({
      type: Type.String({ description: "The finding." }),
      reason: Type.String({ description: "What the definition does that definitions do not need." }),
      place: Type.String({ description: "Where in the definition.", examples: ["inputSchema.properties.to"] }),
      quote: Type.String({ description: "The words, untrusted." }),
    }),
    { description: "Structural signs of an attack, for which a person is asked." },
  ),
  present: Type.Boolean({ description: "Whether the server listed the tool last time." }),
  hash: Type.String({ description: "Hash of the definition listed last; an approval names it." }),
});
export type ToolResponse = Static<typeof ToolResponse>;

/** A tool server as people are shown it: never its credentials, only of what kind they are. */
export const ToolServerResponse = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    owner: Type.String({ description: "E-mail address." }),
    transport: oneOf(TRANSPORTS),
    url: orNull(Type.String()),
    command: orNull(Type.Array(Type.String())),
    active: Type.Boolean(),
    status: oneOf(SERVER_STATUSES),
    credentials: Type.Object({
      kind: oneOf(CREDENTIAL_KINDS),
      headers: Type.Optional(Type.Array(Type.String(), { description: "Their names." })),
      variables: Type.Optional(Type.Array(Type.String(), { description: "Their names." })),
    }),
    given_by: oneOf(["operator", "user"]),
    call_ms: orNull(Type.Integer()),
    list_ms: orNull(Type.Integer()),
    published: orNull(
      Type.Object(
        { at: Type.String(), description: Type.String() },
        { description: "When and as what it was published in the registry." },
      ),
    ),
    tools: Type.Array(ToolResponse),
    created_at: Type.String(),
  },
  { $id: "ToolServer" },
);
export type ToolServerResponse = Static<typeof ToolServerResponse>;

export const ToolServerPage = pageSchema(ToolServerResponse);

/** As it was found just now. */
export const ToolServerReport = Type.Object(
  {
    ...ToolServerResponse.properties,
    ok: Type.Boolean(),
    problem: orNull(Type.String({ description: "Why no tools were listed." })),
    ms: orNull(Type.Number()),
    protocol: orNull(Type.String({ description: "MCP version.", examples: ["2025-11-25"] })),
  },
  { $id: "ToolServerReport" },
);
export type ToolServerReport = Static<typeof ToolServerReport>;

const Assigned = Type.Object({
  agent_id: Id,
  agent: Type.String({ description: "Its name.", examples: ["order-desk"] }),
  tools: orNull(listOf(Type.String({ examples: ["read_file"] }))),
});
export const AssignedToolServer = Type.Object(
  { ...ToolServerResponse.properties, assignments: listOf(Assigned) },
  { $id: "AssignedToolServer" },
);
export type AssignedToolServer = Static<typeof AssignedToolServer>;

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
  { $id: "ReadToolServer", description: "With the current and the approved definition of each tool." },
);
export const ApprovedToolServer = Type.Object(
  {
    ...ToolServerReport.properties,
    approved: listOf(Type.Object({ name: Definitions.name, tool: Definitions.tool })),
  },
  { $id: "ApprovedToolServer" },
);
export const AssignmentResponse = Type.Object(
  { agent_id: Id, server_id: Id, tools: Assigned.properties.tools },
  { $id: "ToolServerAssignment" },
);
export const RemovedToolServer = Type.Object({ id: Id, deleted: Type.Literal(true) }, { $id: "RemovedToolServer" });
export const RemovedAssignment = Type.Object(
  { server_id: Id, agent_id: Id, deleted: Type.Literal(true) },
  { $id: "RemovedToolServerAssignment" },
);
export const ToolServerSignIn = Type.Object(
  { url: Type.String({ format: "uri", description: "URL to open in a browser to sign the hub in." }) },
  { $id: "ToolServerSignIn" },
);

const { id, slug, owner, active, status, tools } = ToolServerResponse.properties;
/** A server of which an agent is assigned something, with what that is. */
export const AgentTools = Type.Object(
  {
    id,
    slug,
    owner,
    active,
    status,
    all: Type.Boolean({ description: "Whether tools added later are assigned, too." }),
    tools,
  },
  { $id: "AgentTools" },
);
export type AgentTools = Static<typeof AgentTools>;
export const AgentToolsPage = pageSchema(AgentTools);

/* How it is answered. */

/** What of a server is not stored with it. */
type ServerFacts = {
  readonly pins: readonly ToolPin[];
  readonly status: ServerStatus;
  readonly owner: string;
  readonly credentials: ToolServerResponse["credentials"];
};

export const toolServerResponse = (
  { id, slug, transport, url, command, active, given_by, call_ms, list_ms, created_at, ...server }: ToolServer,
  { pins, status, owner, credentials }: ServerFacts,
): ToolServerResponse => ({
  id,
  slug,
  owner,
  transport,
  url,
  command: command === null ? null : [...command],
  active,
  status,
  credentials,
  given_by,
  call_ms,
  list_ms,
  published: publishedOf(server),
  tools: toolsOf(pins),
  created_at: new Date(created_at).toISOString(),
});

const publishedOf = ({
  published_at,
  published_as,
}: Pick<ToolServer, "published_at" | "published_as">): ToolServerResponse["published"] =>
  published_at === null || published_as === null
    ? null
    : { at: new Date(published_at).toISOString(), description: published_as };

const toolsOf = (pins: readonly ToolPin[]): ToolResponse[] => {
  const budget = readingBudget();
  return pins.map((pin) => toolResponse(pin, budget));
};

const toolResponse = (pin: ToolPin, budget: ReadingBudget): ToolResponse => ({
  name: pin.name,
  tool: pin.tool,
  status: pinState(pin),
  flags: [...pin.flags],
  reasons: reasonsFor(pin, budget),
  present: pin.present,
  hash: pin.seen_hash,
});

/** By what is stored; nobody is asked. */
export const storedStatus = ({ active }: ToolServer, pins: readonly ToolPin[]): ServerStatus => {
  if (!active) return "inactive";
  return pins.some(awaitsApproval) ? "changed" : "active";
};

/** As it was found just now. */
export const foundStatus = (server: ToolServer, discovered: DiscoveryResult): ServerStatus => {
  if (discovered.ok || !server.active) return storedStatus(server, discovered.tools);
  return discovered.reason === "unauthorized" ? "unauthorized" : "unreachable";
};
