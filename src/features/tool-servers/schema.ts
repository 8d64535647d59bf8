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
  type PinKind,
  PROTOCOL_VERSIONS,
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
const Protocol = Type.Optional(
  orNull(oneOf(PROTOCOL_VERSIONS, "The only MCP version to speak; null for whichever both sides know.")),
);
const ElicitationHosts = Type.Optional(
  Type.Array(Type.String(), {
    description: "At most 50 hosts where the server may ask users to open a page, e.g. *.example.com, beside its own.",
    ...checkedLater({ maxItems: 50 }),
  }),
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
    protocol: Protocol,
    elicitation_hosts: ElicitationHosts,
  },
  { ...closed, $id: "NewToolServer" },
);

export const ToolServerChange = Type.Object(
  {
    active: Type.Optional(Type.Boolean({ description: "Whether agents may use it." })),
    credentials: Type.Optional(Credentials),
    call_ms: Wait,
    list_ms: Wait,
    protocol: Protocol,
    elicitation_hosts: ElicitationHosts,
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

export const Assignment = Type.Object(
  {
    tools: Type.Optional(orNull(Tools)),
    resources: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
        maxItems: 500,
        description: "Patterns of the server's URIs; * stands for anything.",
        examples: [["file:///srv/docs/*"]],
      }),
    ),
    prompts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { maxItems: 2_000, description: "Names of prompts, or * for all." }),
    ),
  },
  {
    ...closed,
    $id: "ToolAssignment",
    description: "What is left out is not assigned. Where nothing is named, all tools are.",
  },
);

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
    protocol_pin: orNull(oneOf(PROTOCOL_VERSIONS)),
    elicitation_hosts: Type.Array(Type.String()),
    published: orNull(
      Type.Object(
        { at: Type.String(), description: Type.String() },
        { description: "When and as what it was published in the registry." },
      ),
    ),
    tools: Type.Array(ToolResponse),
    prompts: Type.Array(ToolResponse, { description: "Its prompts, pinned as tools are." }),
    templates: Type.Array(ToolResponse, { description: "Its resource templates, pinned as tools are." }),
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
    left_out: Type.Array(
      Type.Object({
        tool: Type.String(),
        reason: Type.String({ examples: ["runs as a task, which the server does not offer"] }),
      }),
      { description: "Tools that are not offered to anybody, and why." },
    ),
  },
  { $id: "ToolServerReport" },
);
export type ToolServerReport = Static<typeof ToolServerReport>;

const Assigned = Type.Object({
  agent_id: Id,
  agent: Type.String({ description: "Its name.", examples: ["order-desk"] }),
  tools: orNull(listOf(Type.String({ examples: ["read_file"] }))),
  resources: listOf(Type.String({ examples: ["file:///srv/docs/*"] })),
  prompts: listOf(Type.String({ examples: ["review"] })),
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
  {
    agent_id: Id,
    server_id: Id,
    tools: Assigned.properties.tools,
    resources: Assigned.properties.resources,
    prompts: Assigned.properties.prompts,
  },
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
  {
    id,
    slug,
    transport,
    url,
    command,
    active,
    given_by,
    call_ms,
    list_ms,
    created_at,
    protocol,
    elicitation_hosts,
    ...server
  }: ToolServer,
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
  protocol_pin: protocol,
  elicitation_hosts: [...elicitation_hosts],
  published: publishedOf(server),
  ...offersOf(pins),
  created_at: new Date(created_at).toISOString(),
});

const publishedOf = ({
  published_at,
  published_as,
}: Pick<ToolServer, "published_at" | "published_as">): ToolServerResponse["published"] =>
  published_at === null || published_as === null
    ? null
    : { at: new Date(published_at).toISOString(), description: published_as };

const offersOf = (pins: readonly ToolPin[]): Pick<ToolServerResponse, "tools" | "prompts" | "templates"> => {
  const budget = readingBudget();
  const ofKind = (kind: PinKind) => pins.filter((pin) => pin.kind === kind).map((pin) => toolResponse(pin, budget));
  return { tools: ofKind("tool"), prompts: ofKind("prompt"), templates: ofKind("template") };
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
