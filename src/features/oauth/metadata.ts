import { type Static, Type } from "#core/schema";
import { listOf } from "#http/openapi/schemas";
import { AUTHORIZATION_PATH, at } from "#model/oauth/authorization";
import { OAUTH_SCOPES } from "#model/oauth/client";

const Url = Type.String({ format: "uri" });
const words = (word: string) => listOf(Type.String({ examples: [word] }));

export const ServerMetadata = Type.Object(
  {
    issuer: Url,
    authorization_endpoint: Url,
    token_endpoint: Url,
    registration_endpoint: Url,
    revocation_endpoint: Url,
    scopes_supported: words("mcp:tools"),
    response_types_supported: words("code"),
    response_modes_supported: words("query"),
    grant_types_supported: words("authorization_code"),
    token_endpoint_auth_methods_supported: words("none"),
    revocation_endpoint_auth_methods_supported: words("none"),
    code_challenge_methods_supported: words("S256"),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
  },
  { $id: "AuthorizationServerMetadata", description: "RFC 8414." },
);

/** RFC 8414 §2. No more than there is: what is not offered is not named. */
export const serverMetadata = (publicUrl: string, takesDocuments: boolean): Static<typeof ServerMetadata> => {
  const issuer = at(publicUrl, AUTHORIZATION_PATH);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    registration_endpoint: `${issuer}/oauth2/register`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: takesDocuments,
  };
};
