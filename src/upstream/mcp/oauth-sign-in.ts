import { parseJson } from "#core/json/json";
import { Shape } from "#core/schema";
import type { ToolServer } from "#model/tools/tool";
import { secretHash } from "#platform/hash";
import { ToolFailure, type ToolSignIn, type ToolSignInAnswer } from "#upstream/tool-port";
import { type AuthorizationCode, credentialsOf, NO_CLIENT } from "./credentials";
import { type Begun, BegunShape, beginSignIn } from "./oauth-begin";
import { GrantKeeper, peerOf, type UpstreamOAuthNeeds } from "./oauth-grant";
import { cannotSignIn } from "./oauth-http";
import { requestTokens } from "./oauth-token";
import type { ToolFetch } from "./port";

/** A sign-in under way: a `PendingAuthorization` of the store. */
type Pending = {
  readonly state_hash: string;
  readonly server_id: string;
  readonly user_id: string;
  readonly sealed: string;
  readonly expires_at: number;
};

/** A part of `ToolServerStore`. */
export type UpstreamSignInStore = UpstreamOAuthNeeds["grants"] & {
  byId(id: string): Promise<ToolServer | null>;
  beginAuthorization(pending: Pending): Promise<void>;
  consumeAuthorization(stateHash: string, now: number): Promise<Pending | null>;
};

export type UpstreamSignInNeeds = Omit<UpstreamOAuthNeeds, "fetch" | "grants"> & {
  readonly store: UpstreamSignInStore;
  /** What reaches a server: see `fetchFor`. */
  readonly fetchFor: (server: ToolServer) => ToolFetch;
  /** Where authorization servers send the browser back to. */
  readonly callbackUrl: () => string;
  /** Where the hub's client metadata is published, for those who read it (CIMD); null where it is not. */
  readonly clientUrl: () => string | null;
};

/** How long a person has for signing in, milliseconds. */
const SIGN_IN_MS = 600_000;

const isBegun = new Shape(BegunShape);

const purposeOf = (serverId: string): string => `tool_server.sign_in:${serverId}`;

/** Signing in with an authorization code and PKCE (OAuth 2.1 §4.1), for the hub as a whole. */
export const toolSignIn = (deps: UpstreamSignInNeeds): ToolSignIn => ({
  begin: async (server, userId, ends) => {
    const grants = { ...deps, fetch: deps.fetchFor(server), grants: deps.store };
    const credentials = codeCredentials(server, deps);
    const held = await new GrantKeeper(server, credentials.client_id, grants).load();
    const { url, state, begun } = await beginSignIn(peerOf(server, grants), {
      transport: server.transport,
      credentials,
      redirectUri: deps.callbackUrl(),
      clientUrl: deps.clientUrl(),
      visitor: ends === "own_browser" ? userId : null,
      wanted: held?.grant.wanted ?? null,
    });
    await deps.store.beginAuthorization({
      state_hash: secretHash(state),
      server_id: server.id,
      user_id: userId,
      sealed: deps.seal(purposeOf(server.id), JSON.stringify(begun)),
      expires_at: deps.now() + SIGN_IN_MS,
    });
    return url;
  },
  finish: async (answer, visitor) => {
    const pending = await deps.store.consumeAuthorization(secretHash(answer.state), deps.now());
    const server = pending && (await deps.store.byId(pending.server_id));
    if (!pending || !server) return { kind: "not_begun" };
    const begun = parseJson(deps.open(purposeOf(server.id), pending.sealed));
    if (!isBegun.fits(begun)) return { kind: "not_begun" };
    if (begun.visitor !== null && begun.visitor !== visitor) return { kind: "another_person" };
    await exchange(server, begun, answer, { ...deps, fetch: deps.fetchFor(server), grants: deps.store });
    return { kind: "signed_in", server_id: server.id };
  },
});

const codeCredentials = (server: ToolServer, { open }: Pick<UpstreamSignInNeeds, "open">): AuthorizationCode => {
  const credentials = credentialsOf(server, open) ?? NO_CLIENT;
  if (credentials.kind === "authorization_code") return credentials;
  throw new ToolFailure(
    "unauthorized",
    `${server.slug} does not use OAuth sign-in: set its credentials instead.`,
    false,
  );
};

const exchange = async (
  server: ToolServer,
  begun: Begun,
  answer: ToolSignInAnswer,
  deps: UpstreamOAuthNeeds,
): Promise<void> => {
  const peer = peerOf(server, deps);
  const { client, issuer, tokenEndpoint, resource, scope } = begun;
  // RFC 9207 §2.4: before anything else of the answer is believed; byte by byte.
  if (answer.issuer === null ? begun.namesItself : answer.issuer !== issuer) {
    throw cannotSignIn(peer, "the answer came from another authorization server");
  }
  if (answer.error !== null || answer.code === null) throw cannotSignIn(peer, "it was declined");
  const tokens = await requestTokens(peer, {
    endpoint: tokenEndpoint,
    client,
    params: {
      grant_type: "authorization_code",
      code: answer.code,
      code_verifier: begun.verifier,
      redirect_uri: begun.redirectUri,
      resource,
    },
    now: deps.now(),
  });
  if (tokens.kind === "refused") {
    throw cannotSignIn(peer, `its authorization server does not take the answer (${tokens.error}). Begin again`);
  }
  const { access, refresh, expiresAt } = tokens;
  await new GrantKeeper(server, client.id, deps).replace({
    issuer,
    tokenEndpoint,
    client,
    resource,
    asked: scope,
    wanted: null,
    access,
    refresh,
    expiresAt,
  });
};
