import type { AuthorizationServer } from "./oauth-discovery";
import { askOAuth, cannotSignIn, isDown, type OAuthPeer } from "./oauth-http";
import { authMethod, type UpstreamOAuthClient } from "./oauth-token";

export type UpstreamRegistration = {
  readonly server: AuthorizationServer;
  readonly redirectUri: string;
  readonly scope: string | null;
};

/**
 * The hub makes itself known to an authorization server (RFC 7591). Done anew for every sign-in: registrations expire
 * and are cleared away, and one made elsewhere must not be used here.
 */
export const register = async (peer: OAuthPeer, registration: UpstreamRegistration): Promise<UpstreamOAuthClient> => {
  const { server, redirectUri, scope } = registration;
  if (server.registrationEndpoint === null) {
    throw cannotSignIn(peer, "its authorization server has no registration; set a client id");
  }
  const { protocol, hostname } = new URL(redirectUri);
  const isLocal = protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const metadata = {
    client_name: "Guardhouse",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: authMethod("", server.tokenAuthMethods),
    // OpenID Connect Registration §2: web clients may not be sent back to this machine.
    application_type: isLocal ? "native" : "web",
    ...(scope === null ? {} : { scope }),
  };
  const headers = { "content-type": "application/json", accept: "application/json" };
  const { registrationEndpoint: endpoint } = server;
  const { status, body } = await askOAuth(peer, endpoint, {
    method: "POST",
    headers,
    body: JSON.stringify(metadata),
  });
  if (status >= 500 || status === 429) throw isDown(peer, endpoint, status);
  const { client_id: id, client_secret, token_endpoint_auth_method: method } = body ?? {};
  if (status >= 300 || typeof id !== "string" || id === "") {
    throw cannotSignIn(peer, "its authorization server does not register the hub; give a client id");
  }
  const secret = typeof client_secret === "string" && client_secret !== "" ? client_secret : null;
  return { id, secret, method: authMethod(secret, server.tokenAuthMethods, method) };
};
