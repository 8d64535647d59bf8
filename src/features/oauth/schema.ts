import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";

const Tools = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 1_000,
  description:
    "Public names of tools, files__* for all tools of a server, * for all tools; prompts:files and resources:files, or prompts:* and resources:*.",
});

export const ConsentDecision = Type.Object(
  {
    /** The parameters of the authorization request, as they were in the page's address. */
    query: Type.String({ maxLength: 16_384 }),
    accept: Type.Boolean(),
    tools: Tools,
    user: Type.Optional(
      Type.String({
        maxLength: 36,
        description: "Id of the user who was asked; the decision of another user is refused.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ConsentDecision = Static<typeof ConsentDecision>;

export const AllowlistChange = Type.Object({ tools: Tools }, { additionalProperties: false });

export const ClientChange = Type.Object({ disabled: Type.Boolean() }, { additionalProperties: false });

/* What is shown of clients to people, and what clients are told. */

const AllowedTools = listOf(Type.String({ examples: ["files__*"] }));
const CLIENT = {
  id: Type.String({ examples: ["01a1fbfa-d53a-7410-9bb7-0d100e31ae5a"] }),
  client_id: Type.String({ description: "OAuth client id, or URL of the client metadata document." }),
  described_by: orNull(Type.String({ description: "Host of the client metadata document." })),
  name: orNull(Type.String({ description: "Name given by the client.", examples: ["An editor"] })),
  returns_to: listOf(Type.String({ description: "Redirect targets.", examples: ["this computer"] })),
  state: oneOf(["active", "disabled"]),
  created_at: Moment,
};

export const ConnectionResponse = Type.Object(
  {
    ...CLIENT,
    tools: AllowedTools,
    consented_at: Moment,
    connected: Type.Boolean({ description: "Has a valid token." }),
  },
  { $id: "OAuthConnection" },
);
export type ConnectionResponse = Static<typeof ConnectionResponse>;
export const ConnectionPage = pageSchema(ConnectionResponse);

export const ClientResponse = Type.Object(
  {
    ...CLIENT,
    users: listOf(Type.Object({ user_id: Id, tools: AllowedTools, consented_at: Moment, connected: Type.Boolean() })),
  },
  { $id: "OAuthClient" },
);
export type ClientResponse = Static<typeof ClientResponse>;
export const ClientPage = pageSchema(ClientResponse);

export const Allowed = Type.Object({ id: Id, tools: AllowedTools }, { $id: "OAuthAllowlist" });
export const ClientState = Type.Object({ id: Id, state: oneOf(["active", "disabled"]) }, { $id: "OAuthClientState" });

export const Registered = Type.Object(
  {
    client_id: Id,
    client_id_issued_at: Type.Integer({ description: "Unix seconds." }),
    client_name: Type.Optional(Type.String()),
    redirect_uris: listOf(Type.String({ examples: ["http://127.0.0.1/callback"] })),
    application_type: oneOf(["native", "web"]),
    grant_types: listOf(Type.String({ examples: ["authorization_code"] })),
    response_types: listOf(Type.String({ examples: ["code"] })),
    token_endpoint_auth_method: Type.Literal("none"),
    scope: Type.String({ examples: ["mcp:tools offline_access"] }),
  },
  { $id: "RegisteredClient", description: "RFC 7591, section 3.2.1." },
);

export const Granted = Type.Object(
  {
    access_token: Type.String({ examples: ["gw-oat-…"] }),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer({ description: "Seconds.", examples: [3_600] }),
    refresh_token: Type.Optional(Type.String({ examples: ["gw-rt-…"] })),
    scope: Type.String({ examples: ["mcp:tools offline_access"] }),
  },
  { $id: "GrantedToken", description: "RFC 6749, section 5.1." },
);
export type Granted = Readonly<Static<typeof Granted>>;

export const OAuthFailure = Type.Object(
  {
    error: Type.String({ examples: ["invalid_grant"] }),
    error_description: Type.String({ examples: ["The code is invalid or expired."] }),
  },
  { $id: "OAuthError", description: "RFC 6749, section 5.2." },
);
