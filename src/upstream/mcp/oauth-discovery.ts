import type { JsonRecord } from "#core/json/json";
import type { Challenge } from "./oauth-challenge";
import { askOAuth, cannotSignIn, endpointOf, isDown, type OAuthPeer } from "./oauth-http";

/*
 * Which authorization server a tool server trusts, and what that one can do: RFC 9728, then RFC 8414 or OpenID
 * Connect Discovery. Every document must be about what it was asked for, else a server could have our secrets sent
 * to somebody else's (mix-up).
 */

export type AuthorizationServer = {
  readonly issuer: string;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | null;
  readonly tokenAuthMethods: readonly string[];
  readonly scopes: readonly string[];
  /** RFC 9207: its answers name it. */
  readonly namesItself: boolean;
  /** It reads clients' metadata from the URL they have as `client_id`. */
  readonly readsClientUrls: boolean;
  readonly provesKeys: boolean;
};

export type Discovery = {
  readonly server: AuthorizationServer;
  /** As the metadata writes it (RFC 8707); null where there is no metadata. */
  readonly resource: string | null;
  /** What the metadata says tokens can be good for. */
  readonly scopes: readonly string[];
};

export const discover = async (peer: OAuthPeer, challenge: Challenge): Promise<Discovery> => {
  const metadata = await resourceMetadata(peer, challenge);
  const { origin } = new URL(peer.url);
  if (metadata === null) {
    // Servers of 2025-03-26 are their own authorization server, whose endpoints have fixed names.
    return { server: (await serverMetadata(peer, origin)) ?? assumed(origin), resource: null, scopes: [] };
  }
  const resource = resourceOf(peer, metadata);
  const issuer = words(metadata["authorization_servers"]).find((url) => endpointOf(peer, url) !== null) ?? origin;
  const server = await serverMetadata(peer, issuer);
  if (server === null) throw cannotSignIn(peer, "its authorization server has no metadata");
  return { server, resource, scopes: words(metadata["scopes_supported"]) };
};

/** The first document there is. Null when all places say there is none. */
const firstOf = async (peer: OAuthPeer, places: readonly string[]): Promise<JsonRecord | null> => {
  for (const place of new Set(places)) {
    const { status, body } = await askOAuth(peer, place, { headers: { accept: "application/json" } });
    if (status === 200 && body !== null) return body;
    // Down is not absent: what is guessed for servers without metadata would be wrong.
    if (status >= 500 || status === 429) throw isDown(peer, place, status);
  }
  return null;
};

const resourceMetadata = (peer: OAuthPeer, { resourceMetadata: hint }: Challenge): Promise<JsonRecord | null> => {
  const { origin, pathname } = new URL(peer.url);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const hinted = endpointOf(peer, hint);
  return firstOf(peer, [...(hinted ? [hinted] : []), `${wellKnown}${withoutSlash(pathname)}`, wellKnown]);
};

/** RFC 9728 §3.3, and as MCP allows: the address itself, or what it lies under. */
const resourceOf = (peer: OAuthPeer, { resource }: JsonRecord): string => {
  const named = endpointOf(peer, resource);
  const [server, url] = [new URL(peer.url), named === null ? null : new URL(named)];
  if (named !== null && url !== null && server.origin === url.origin) {
    const parent = `${withoutSlash(url.pathname)}/`;
    if (`${withoutSlash(server.pathname)}/`.startsWith(parent)) return named;
  }
  throw cannotSignIn(peer, "its metadata describes another resource");
};

const serverMetadata = async (peer: OAuthPeer, issuer: string): Promise<AuthorizationServer | null> => {
  const { origin, pathname } = new URL(issuer);
  const path = withoutSlash(pathname);
  const body = await firstOf(peer, [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  if (body === null) return null;
  const named = body["issuer"];
  // RFC 8414 §3.3. A slash at the end is all that may differ: URL classes put it there unasked.
  if (typeof named !== "string" || withoutSlash(named) !== withoutSlash(issuer)) {
    throw cannotSignIn(peer, "its authorization server's metadata names another issuer");
  }
  const tokenEndpoint = endpointOf(peer, body["token_endpoint"]);
  if (tokenEndpoint === null) throw cannotSignIn(peer, "its authorization server has no token endpoint");
  return {
    issuer: named,
    authorizationEndpoint: endpointOf(peer, body["authorization_endpoint"]),
    tokenEndpoint,
    registrationEndpoint: endpointOf(peer, body["registration_endpoint"]),
    tokenAuthMethods: words(body["token_endpoint_auth_methods_supported"]),
    scopes: words(body["scopes_supported"]),
    namesItself: body["authorization_response_iss_parameter_supported"] === true,
    readsClientUrls: body["client_id_metadata_document_supported"] === true,
    provesKeys: words(body["code_challenge_methods_supported"]).includes("S256"),
  };
};

const assumed = (origin: string): AuthorizationServer => ({
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  registrationEndpoint: `${origin}/register`,
  tokenAuthMethods: [],
  scopes: [],
  namesItself: false,
  readsClientUrls: false,
  provesKeys: true,
});

const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === "string").slice(0, 256) : [];

const withoutSlash = (text: string): string => text.replace(/\/$/, "");
