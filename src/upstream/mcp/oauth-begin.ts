import { type Static, Type } from "#core/schema";
import type { Transport } from "#model/tools/tool";
import type { AuthorizationCode } from "./credentials";
import { type Challenge, challengeOf, NO_CHALLENGE, widened } from "./oauth-challenge";
import { type Discovery, discover } from "./oauth-discovery";
import { ClientShape } from "./oauth-grant";
import { askOAuth, cannotSignIn, type OAuthPeer } from "./oauth-http";
import { register } from "./oauth-register";
import { authMethod, type UpstreamOAuthClient } from "./oauth-token";

/*
 * The first half of a sign-in: from a server's address to the address a person opens in a browser (OAuth 2.1 §4.1
 * with PKCE).
 */

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const BegunShape = Type.Object({
  /** Who has to be signed in where it ends; null for nobody. */
  visitor: Nullable,
  verifier: Type.String(),
  redirectUri: Type.String(),
  client: ClientShape,
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  namesItself: Type.Boolean(),
  resource: Nullable,
  scope: Nullable,
});

/** What the second half needs to know of the first. */
export type Begun = Static<typeof BegunShape>;

export type Wish = {
  readonly transport: Transport;
  readonly credentials: AuthorizationCode;
  readonly redirectUri: string;
  /** Where the hub's client metadata is published; null where it is not. */
  readonly clientUrl: string | null;
  /** Who has to be signed in where it ends; null for nobody. */
  readonly visitor: string | null;
  /** What calls were refused for want of since the last sign-in, with what was asked for then. */
  readonly wanted: string | null;
};

export const beginSignIn = async (
  peer: OAuthPeer,
  wish: Wish,
): Promise<{ readonly url: string; readonly state: string; readonly begun: Begun }> => {
  const challenge = await challengeFor(peer, wish.transport);
  const found = await discover(peer, challenge);
  // MCP, authorization: without PKCE nobody proceeds.
  if (!found.server.provesKeys) throw cannotSignIn(peer, "its authorization server does not offer PKCE with S256");
  const scope = scopeFor(found, challenge, wish);
  const client = await clientFor(peer, found, wish, scope);
  const { issuer, tokenEndpoint, namesItself } = found.server;
  const { redirectUri, visitor } = wish;
  const { resource } = found;
  const [state, verifier] = [random(), random()];
  const begun: Begun = { visitor, verifier, redirectUri, client, issuer, tokenEndpoint, namesItself, resource, scope };
  return { url: authorizeUrl(peer, found, begun, state), state, begun };
};

/** 256 bits, base64url: a state, and a verifier as RFC 7636 §4.1 wants it. */
const random = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

/** Asks for the tools as nobody: what the server refuses that with says where to sign in, and for what. */
const challengeFor = async (peer: OAuthPeer, transport: Transport): Promise<Challenge> => {
  const accept = "application/json, text/event-stream";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const asked: RequestInit =
    transport === "sse"
      ? { headers: { accept: "text/event-stream" } }
      : { method: "POST", headers: { accept, "content-type": "application/json" }, body };
  const answer = await askOAuth(peer, peer.url, asked);
  return answer.status === 401 ? challengeOf(answer) : NO_CHALLENGE;
};

/** What was configured, else what the server asks for; with what a call was refused for want of, and a way to renew. */
const scopeFor = (
  { server, scopes }: Discovery,
  challenge: Challenge,
  { credentials, wanted }: Wish,
): string | null => {
  const base = credentials.scope ?? challenge.scope ?? widened(...scopes);
  const offline = base !== null && server.scopes.includes("offline_access") ? "offline_access" : null;
  return widened(base, wanted, offline);
};

const clientFor = async (
  peer: OAuthPeer,
  { server }: Discovery,
  { credentials, redirectUri, clientUrl }: Wish,
  scope: string | null,
): Promise<UpstreamOAuthClient> => {
  const { client_id: id, client_secret: secret } = credentials;
  if (id !== null) return { id, secret, method: authMethod(secret, server.tokenAuthMethods) };
  if (clientUrl !== null && server.readsClientUrls) return { id: clientUrl, secret: null, method: "none" };
  return register(peer, { server, redirectUri, scope });
};

const authorizeUrl = (peer: OAuthPeer, { server }: Discovery, begun: Begun, state: string): string => {
  if (server.authorizationEndpoint === null) throw cannotSignIn(peer, "its authorization server has no place for it");
  const url = new URL(server.authorizationEndpoint);
  const params = {
    response_type: "code",
    client_id: begun.client.id,
    redirect_uri: begun.redirectUri,
    code_challenge: new Bun.CryptoHasher("sha256").update(begun.verifier).digest("base64url"),
    code_challenge_method: "S256",
    state,
    scope: begun.scope,
    resource: begun.resource,
  };
  for (const [name, value] of Object.entries(params)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
};
