import * as oauth from "oauth4webapi";
import { isRecord, type JsonRecord } from "#core/json/json";
import { endSessionAddress } from "#model/oidc";
import { type GuardedFetch, NotConnected } from "./guarded-fetch";
import { type OidcClaims, OidcFailure, type OidcProvider, type OidcSecrets } from "./oidc-port";

/*
 * OpenID Connect Core 1.0, code flow with PKCE, as a relying party. The protocol's checks are a certified library's; what
 * is asked of whom goes through our own guard against addresses inside (SSRF), for every address that the document names.
 */

export type OidcOptions = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Claims that are asked for at the userinfo endpoint when the ID token has not got them. */
  readonly wanted: readonly string[];
  /**
   * Of these, too. They say something only together, so they are believed from one place: the userinfo endpoint may
   * tell an address that the ID token, which has another, calls verified.
   */
  readonly together: readonly string[];
  readonly fetch: GuardedFetch;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Longest wait for one answer, milliseconds. */
const ANSWER_MS = 10_000;
/** Documents, keys and tokens are small. */
const MAX_BYTES = 524_288;
/** How long the provider's document is taken for true, and how long it is not asked for again after it failed. */
const KNOWN_MS = 3_600_000;
const FAILED_MS = 5_000;
/** Least time between two fetches of keys for tokens whose key is unknown. */
const KEYS_AGAIN_MS = 10_000;
/** How far its clock may be from ours. Seconds. */
const TOLERANCE_S = 60;

type Known = { readonly server: Promise<oauth.AuthorizationServer>; readonly until: number };

export class OpenIdProvider implements OidcProvider {
  private known: Known | null = null;
  /** When keys were last fetched out of turn, Unix milliseconds. */
  private keysFetchedAt = 0;
  private readonly client: oauth.Client;
  private readonly http;

  constructor(private readonly options: OidcOptions) {
    this.client = { client_id: options.clientId, [oauth.clockTolerance]: TOLERANCE_S };
    this.http = {
      [oauth.customFetch]: bounded(options.fetch),
      // Plain http is for networks the operator named; `fetch` sees to that.
      [oauth.allowInsecureRequests]: options.issuer.startsWith("http:"),
    };
  }

  addressFor({ state, nonce, verifier }: OidcSecrets, redirectUri: string, again: boolean): Promise<string> {
    return failing(async () => {
      const { authorization_endpoint: endpoint } = await this.server();
      const url = new URL(endpoint ?? "");
      const params = {
        response_type: "code",
        client_id: this.options.clientId,
        redirect_uri: redirectUri,
        scope: [...new Set(["openid", ...this.options.scopes])].join(" "),
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(again && { prompt: "login", max_age: "0" }),
      };
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
      return url.href;
    });
  }

  claimsOf(answer: URLSearchParams, { state, nonce, verifier }: OidcSecrets, redirectUri: string): Promise<OidcClaims> {
    return failing(async () => {
      const { client, http } = this;
      const server = await this.server();
      // State and, where it is there or promised, the issuer (RFC 9207): a code of another provider is sent to nobody.
      const good = oauth.validateAuthResponse(server, client, answer, state);
      const secret = this.secretFor(server);
      const asked = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        secret,
        good,
        redirectUri,
        verifier,
        http,
      );
      const expected = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, asked, expected);
      // TLS vouches for the token endpoint already; the keys do, whatever sits between.
      await this.verify(server, asked);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (!claims) throw new OidcFailure("bad_answer", "no_id_token");
      // The library does not look: a token made ahead of its time would be good for longer than its maker says.
      if (claims.iat > this.options.now() / 1_000 + TOLERANCE_S) throw new OidcFailure("bad_answer", "iat_in_future");
      const info = await this.more(server, claims, tokens.access_token);
      return { sub: claims.sub, all: { ...info, ...claims, ...this.oneSource(claims, info) } };
    });
  }

  signOutAddress(returnTo: string): Promise<string | null> {
    return failing(async () => {
      const { end_session_endpoint: endpoint } = await this.server();
      return endSessionAddress(endpoint, this.protocols, { clientId: this.options.clientId, returnTo });
    });
  }

  /**
   * The signature, by the provider's keys. The library keeps them for a minute at least: where they lack the token's, the
   * provider may have changed them, and they are fetched anew, but not for everybody who makes up a key.
   */
  private async verify(server: oauth.AuthorizationServer, asked: Response): Promise<void> {
    try {
      await oauth.validateApplicationLevelSignature(server, asked, this.http);
    } catch (error) {
      const now = this.options.now();
      const isUnknownKey = error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;
      if (!isUnknownKey || Math.abs(now - this.keysFetchedAt) < KEYS_AGAIN_MS) throw error;
      this.keysFetchedAt = now;
      // The library remembers keys by this object: another one has none yet.
      const renewed = { ...server };
      await oauth.validateApplicationLevelSignature(renewed, asked, this.http);
      if (this.known) this.known = { ...this.known, server: Promise.resolve(renewed) };
    }
  }

  /** What the ID token leaves out. Its own word goes before that of the userinfo endpoint. */
  private async more(server: oauth.AuthorizationServer, claims: oauth.IDToken, token: string): Promise<JsonRecord> {
    const { wanted, together } = this.options;
    const isLacking = [...wanted, ...together].some((name) => claims[name.split(".")[0] ?? ""] === undefined);
    if (!isLacking || server.userinfo_endpoint === undefined) return {};
    const answer = await oauth.userInfoRequest(server, this.client, token, this.http);
    const info: unknown = await oauth.processUserInfoResponse(server, this.client, claims.sub, answer);
    return isRecord(info) ? info : {};
  }

  /** The claims that belong together: the ID token's, else those of the userinfo endpoint if it agrees, else none. */
  private oneSource(claims: oauth.IDToken, info: JsonRecord): JsonRecord {
    const { together } = this.options;
    const has = (source: JsonRecord): boolean => together.every((name) => source[name] !== undefined);
    const isAgreed = together.every((name) => claims[name] === undefined || claims[name] === info[name]);
    const source: JsonRecord = has(claims) || !(has(info) && isAgreed) ? claims : info;
    return Object.fromEntries(together.map((name) => [name, has(source) ? source[name] : undefined]));
  }

  private secretFor({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer): oauth.ClientAuth {
    const { clientSecret } = this.options;
    if (clientSecret === null) return oauth.None();
    // In the form where it may be: not everybody decodes what Basic has encoded (RFC 6749 §2.3.1).
    return methods?.includes("client_secret_post")
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret);
  }

  /** Asked for when somebody signs in, so that a provider that is down keeps no hub from starting. */
  private server(): Promise<oauth.AuthorizationServer> {
    const { now } = this.options;
    if (this.known && now() < this.known.until) return this.known.server;
    const server = this.discover();
    this.known = { server, until: now() + KNOWN_MS };
    // Waiting callers get the error; the next one asks again, but not all at the same time.
    server.catch(() => {
      this.known = { server, until: now() + FAILED_MS };
    });
    return server;
  }

  /** Of addresses that browsers are led to. */
  private get protocols(): readonly string[] {
    return this.options.issuer.startsWith("http:") ? ["https:", "http:"] : ["https:"];
  }

  private async discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.options.issuer);
    const answer = await oauth.discoveryRequest(issuer, this.http);
    const server = await oauth.processDiscoveryResponse(issuer, answer);
    const place = URL.parse(server.authorization_endpoint ?? "");
    // Browsers go there, so `fetch` never sees it.
    if (place && this.protocols.includes(place.protocol)) return server;
    throw new OidcFailure("bad_answer", "authorization_endpoint");
  }
}

/** `fetch` for the library: guarded, in time, and never more than so many bytes. */
const bounded =
  (fetch: GuardedFetch) =>
  async (url: string, init: { method: string; headers: HeadersInit; body?: unknown }): Promise<Response> => {
    const { method, headers: sent, body } = init;
    const signal = AbortSignal.timeout(ANSWER_MS);
    // The library sends forms, or nothing.
    const form = body instanceof URLSearchParams ? { body: body.toString() } : {};
    const answer = await fetch(url, { method, headers: sent, signal, ...form });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of answer.body ?? []) {
      length += part.length;
      if (length > MAX_BYTES) throw new OidcFailure("bad_answer", "too_large");
      parts.push(part);
    }
    const { status, headers } = answer;
    const isEmpty = length === 0;
    return new Response(isEmpty ? null : Buffer.concat(parts), { status, headers });
  };

/** Everything that goes wrong in `work`, without what the library keeps with its errors: tokens and claims. */
const failing = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
};

const failureOf = (error: unknown): OidcFailure => {
  if (error instanceof OidcFailure) return error;
  if (error instanceof NotConnected) return new OidcFailure("unreachable", error.reason);
  if (error instanceof oauth.AuthorizationResponseError) return new OidcFailure("denied", "authorization_error");
  if (error instanceof oauth.ResponseBodyError) return new OidcFailure("bad_answer", "token_refused");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // What is no error of the library comes from the network: refused, reset, too slow.
  return code.startsWith("OAUTH_")
    ? new OidcFailure("bad_answer", code.toLowerCase())
    : new OidcFailure("unreachable", "network");
};
