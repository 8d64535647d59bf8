import { OAUTH_SCOPES } from "#core/oauth/client";
import { AUTHORIZATION_PATH, at } from "#http/resource-metadata";

/** RFC 8414 §2. No more than there is: what is not offered is not named. */
export const serverMetadata = (publicUrl: string, takesDocuments: boolean) => {
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
