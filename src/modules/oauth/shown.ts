import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/* What is shown of clients to people, and what clients are told. */

const Tools = listOf(Type.String({ examples: ["files__*"] }));
const CLIENT = {
  id: Type.String({ examples: ["01a1fbfa-d53a-7410-9bb7-0d100e31ae5a"] }),
  client_id: Type.String({ description: "What it calls itself in OAuth: an id, or the address of its document." }),
  described_by: orNull(Type.String({ description: "The host whose document describes it." })),
  name: orNull(Type.String({ description: "What it calls itself.", examples: ["An editor"] })),
  returns_to: listOf(Type.String({ description: "Where it gets its codes.", examples: ["this computer"] })),
  state: oneOf(["active", "disabled"]),
  created_at: Moment,
};

export const ShownConnection = Type.Object(
  { ...CLIENT, tools: Tools, consented_at: Moment, connected: Type.Boolean({ description: "It holds a token." }) },
  { $id: "OAuthConnection" },
);
export type ShownConnection = Static<typeof ShownConnection>;
export const ConnectionPage = pageSchema(ShownConnection);

export const ShownClient = Type.Object(
  {
    ...CLIENT,
    users: listOf(Type.Object({ user_id: Id, tools: Tools, consented_at: Moment, connected: Type.Boolean() })),
  },
  { $id: "OAuthClient" },
);
export type ShownClient = Static<typeof ShownClient>;
export const ClientPage = pageSchema(ShownClient);

export const Allowed = Type.Object({ id: Id, tools: Tools }, { $id: "OAuthAllowlist" });
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
    error_description: Type.String({ examples: ["The code is not good, or no longer."] }),
  },
  { $id: "OAuthError", description: "RFC 6749, section 5.2." },
);
