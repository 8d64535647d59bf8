import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { PROPOSAL_STATES } from "#model/tools/proposal";
import { MAX_PUBLISHED_AS, SLUG, TRANSPORTS } from "#model/tools/tool";
import { INPUT_PLACES } from "./offers";
import { SERVER_SCHEMA, ServerJson } from "./server-json";

/* Answers of the MCP registry API, version v0.1, as far as the hub has something to say (modelcontextprotocol/registry). */

export const OFFICIAL = "io.modelcontextprotocol.registry/official";

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

const Meta = Type.Object({
  [OFFICIAL]: Type.Object({
    status: Type.Literal("active"),
    statusChangedAt: Moment,
    publishedAt: Moment,
    updatedAt: Moment,
    isLatest: Type.Literal(true),
  }),
});

export const Entry = Type.Object({ server: Server, _meta: Meta }, { $id: "RegistryEntry" });

export const EntryList = Type.Object(
  {
    servers: listOf(Entry),
    metadata: Type.Object({ count: Type.Integer(), nextCursor: Type.Optional(Type.String()) }),
  },
  { $id: "RegistryEntries" },
);

/** Servers of one page. */
export const MAX_PAGE = 100;

export const DELETED_QUERY = {
  include_deleted: Type.Boolean({ description: "Accepted; the hub lists no deleted servers." }),
} as const;

export const LIST_QUERY = {
  cursor: Type.String({ maxLength: 200, description: "nextCursor of the previous page." }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 30, description: "Maximum number of servers." }),
  search: Type.String({ maxLength: 200, description: "Part of the name." }),
  updated_since: Moment,
  version: Type.String({ maxLength: 100, description: "latest, or an exact version." }),
  ...DELETED_QUERY,
} as const;

/** Errors as the registry API has them: a text where the hub's own have an object. */
export const RegistryError = Type.Object(
  {
    error: Type.String({ examples: ["No such server is published."] }),
    code: Type.String({ examples: ["not_found"] }),
  },
  { $id: "RegistryError" },
);

/* Proposals: servers that were imported from other registries. */

const closed = { additionalProperties: false } as const;

/** What an import may hold of a document. */
export const MAX_DOCUMENT_BYTES = 1_048_576;

export const ImportBody = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        format: "uri",
        maxLength: 2_048,
        description: "Address of a registry, of its list of servers, or of a document.",
        examples: ["https://mcp.example.com"],
      }),
    ),
    document: Type.Optional(
      Type.Unknown({ description: "Instead of url: a list of servers, an entry or a server.json." }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Only servers of this name; * stands for any characters.",
        examples: ["com.example/*"],
      }),
    ),
  },
  { ...closed, $id: "RegistryImport" },
);

const Input = Type.Object({
  name: Type.String(),
  place: oneOf(INPUT_PLACES, "Where the value goes. In an address or an argument it is not encrypted."),
  description: orNull(Type.String()),
  is_required: Type.Boolean(),
  is_secret: Type.Boolean(),
  default: orNull(Type.String()),
  choices: orNull(Type.Array(Type.String())),
});

export const ProposalResponse = Type.Object(
  {
    id: Id,
    name: Type.String({ description: "As the registry has it.", examples: ["com.example/files"] }),
    version: Type.String(),
    title: orNull(Type.String()),
    description: Type.String({ description: "A stranger's text." }),
    website: orNull(Type.String({ description: "As the registry says; not checked." })),
    source: Type.String({ description: "Where it was imported from." }),
    state: oneOf(PROPOSAL_STATES),
    offers: Type.Array(
      Type.Object({
        transport: orNull(oneOf(TRANSPORTS)),
        shown: Type.String({ description: "The address, or the exact command; {name} stands for an input." }),
        inputs: Type.Array(Input),
        problem: orNull(Type.String({ description: "Why it cannot be used." })),
      }),
      { description: "Ways to use the server, of which one is chosen." },
    ),
    imported_by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    imported_at: Moment,
    decided_by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    decided_at: orNull(Moment),
    reason: orNull(Type.String()),
    server_id: orNull(Type.String({ description: "The tool server made of it." })),
  },
  { $id: "ServerProposal" },
);
export type ProposalResponse = Static<typeof ProposalResponse>;
export const ProposalPage = pageSchema(ProposalResponse);

export const ImportReport = Type.Object(
  {
    source: Type.String(),
    proposed: listOf(ProposalResponse),
    unchanged: Type.Integer({ description: "Entries that were imported before in this form." }),
    refused: listOf(Type.Object({ name: Type.String(), problem: Type.String() })),
  },
  { $id: "RegistryImportReport" },
);
export type ImportReport = Static<typeof ImportReport>;

export const ApprovalBody = Type.Object(
  {
    owner: Type.Optional(Type.String({ description: "E-mail address of the owner; you if left out." })),
    slug: Type.Optional(Type.String({ pattern: SLUG.source, description: "Made of the name if left out." })),
    offer: Type.Optional(Type.Integer({ minimum: 1, description: "From 1; the usable one if left out." })),
    values: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), { description: "Of the inputs, by name." }),
    ),
    oauth: Type.Optional(Type.Boolean({ description: "The owner signs in at the server." })),
  },
  { ...closed, $id: "ServerProposalApproval" },
);

export const ApprovedProposalResponse = Type.Object(
  {
    ...ProposalResponse.properties,
    server: Type.Object({
      id: Id,
      slug: Type.String(),
      ok: Type.Boolean({ description: "Whether it listed its tools." }),
      problem: orNull(Type.String()),
    }),
  },
  { $id: "ApprovedServerProposal" },
);

export const RejectionBody = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 500 })) },
  { ...closed, $id: "ServerProposalRejection" },
);

/** The registry's own form: what another hub imports. */
export const ExportResponse = Type.Object(
  {
    servers: listOf(Type.Object({ server: ServerJson, _meta: Meta })),
    metadata: Type.Object({
      count: Type.Integer(),
      left_out: listOf(Type.String({ description: "Servers without a form in registries." })),
    }),
  },
  { $id: "RegistryExport" },
);
