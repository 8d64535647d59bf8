import type { JsonRecord } from "#core/json/json";
import { askOAuth, cannotSignIn, isDown, type OAuthPeer } from "./oauth-http";

export const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Who the hub is at an authorization server. */
export type UpstreamOAuthClient = { readonly id: string; readonly secret: string | null; readonly method: AuthMethod };

export type UpstreamTokens = {
  readonly access: string;
  readonly refresh: string | null;
  /** Unix milliseconds; null when it was not said. */
  readonly expiresAt: number | null;
  /** What was granted, where it is said. */
  readonly scope: string | null;
};

/** `error`: RFC 6749 §5.2. */
export type UpstreamTokenAnswer =
  | ({ readonly kind: "tokens" } & UpstreamTokens)
  | { readonly kind: "refused"; readonly error: string };

export type UpstreamTokenRequest = {
  readonly endpoint: string;
  readonly client: UpstreamOAuthClient;
  /** Parameters without a value are left out. */
  readonly params: Readonly<Record<string, string | null>>;
  readonly now: number;
};

/** Goes into a header: visible ASCII, and of a length headers have. */
const TOKEN = /^[\x21-\x7e]{1,8000}$/;
/** Other words could be anything, even what we sent. */
const ERRORS = ["invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope"];

/** How to authenticate: as registered, else the strongest way both sides have; Basic is what none said means (RFC 8414 §2). */
export const authMethod = (
  secret: string | null,
  supported: readonly string[],
  registered: unknown = null,
): AuthMethod => {
  const offered = AUTH_METHODS.filter((method) => supported.length === 0 || supported.includes(method));
  const agreed = offered.find((method) => method === registered);
  if (secret === null) return "none";
  return agreed ?? offered[0] ?? "client_secret_post";
};

/** Throws `ToolFailure` where there is no answer of an authorization server. */
export const requestTokens = async (peer: OAuthPeer, request: UpstreamTokenRequest): Promise<UpstreamTokenAnswer> => {
  const { status, body } = await askOAuth(peer, request.endpoint, formOf(request));
  // Some say so with status 200.
  if (typeof body?.["error"] === "string" && status < 500 && status !== 429) {
    return { kind: "refused", error: ERRORS.find((known) => known === body["error"]) ?? "invalid_request" };
  }
  if (status !== 200 || body === null) throw isDown(peer, request.endpoint, status);
  return tokensOf(peer, body, request.now);
};

const formOf = ({ client, params }: UpstreamTokenRequest): RequestInit => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== null) form.set(name, value);
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", accept: "application/json" });
  if (client.method === "client_secret_basic" && client.secret !== null) {
    headers.set("authorization", `Basic ${btoa(`${formEncoded(client.id)}:${formEncoded(client.secret)}`)}`);
  } else {
    form.set("client_id", client.id);
    if (client.method === "client_secret_post" && client.secret !== null) form.set("client_secret", client.secret);
  }
  return { method: "POST", headers, body: form.toString() };
};

const tokensOf = (peer: OAuthPeer, body: JsonRecord, now: number): UpstreamTokenAnswer => {
  const { access_token: access, refresh_token: refresh, token_type: type, scope } = body;
  if (typeof access !== "string" || !TOKEN.test(access) || String(type).toLowerCase() !== "bearer") {
    throw cannotSignIn(peer, "its authorization server gave no bearer token");
  }
  return {
    kind: "tokens",
    access,
    refresh: typeof refresh === "string" && TOKEN.test(refresh) ? refresh : null,
    expiresAt: expiry(body["expires_in"], now),
    scope: typeof scope === "string" ? scope.slice(0, 4_096) : null,
  };
};

/** Some write the number as text. */
const expiry = (value: unknown, now: number): number | null => {
  const seconds = typeof value === "string" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && Number.isFinite(seconds) ? now + seconds * 1000 : null;
};

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);
