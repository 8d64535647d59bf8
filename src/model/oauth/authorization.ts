import type { OAuthClient } from "./client";
import { OAuthError, type OAuthErrorCode } from "./error";
import { isSameHere, matchesRedirect } from "./redirect";

/** Where the tool gateway is, below the public URL. */
export const GATEWAY_PATH = "/mcp/gateway";
/** The least a tool client needs. `offline_access` must not stand here (MCP, authorization, scope selection). */
export const GATEWAY_SCOPE = "mcp:tools";
/** Where the authorization server is, below the public URL: its issuer. */
export const AUTHORIZATION_PATH = "/api/auth";

/** The address of something below the public URL. */
export const at = (publicUrl: string, path: string): string => publicUrl.replace(/\/+$/, "") + path;

/** What a client asks a person for, checked. */
export type Authorization = {
  readonly client: OAuthClient;
  readonly redirect_uri: string;
  readonly state: string | null;
  /** Known scopes only; `offline_access` always, since clients that do not ask for it need it all the same. */
  readonly scope: string;
  readonly code_challenge: string;
  readonly resource: string;
};

/** Where an answer goes. */
export type ReturnPath = { readonly redirect_uri: string; readonly state: string | null };

/** SHA-256 in base64url without padding (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE_LENGTH = 4_096;
const ONCE = [
  "client_id",
  "redirect_uri",
  "state",
  "response_type",
  "scope",
  "code_challenge",
  "code_challenge_method",
];
const MAX_CLIENT_ID_LENGTH = 256;

/** A parameter without a value is as good as none (RFC 6749 §3.1 and §3.2). */
export const withValues = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([, value]) => value !== ""));

/** The client's id, before anything is looked up. Null for none, or for more than one. */
export const clientIdOf = (query: URLSearchParams): string | null => {
  const id = once(query, "client_id");
  return id !== null && id.length <= MAX_CLIENT_ID_LENGTH ? id : null;
};

/** Where the answer goes; null where it must not go anywhere, since the address is nobody's that we know. */
export const returnPathOf = (query: URLSearchParams, client: OAuthClient | null): ReturnPath | null => {
  const redirect_uri = once(query, "redirect_uri");
  if (!client || client.disabled || redirect_uri === null) return null;
  if (!matchesRedirect(client.redirect_uris, redirect_uri)) return null;
  const state = once(query, "state");
  return { redirect_uri, state: state !== null && state.length <= MAX_STATE_LENGTH ? state : null };
};

/** Throws `OAuthError` for what the client is told by its redirect URI. */
export const authorizationOf = (
  query: URLSearchParams,
  client: OAuthClient,
  { redirect_uri, state }: ReturnPath,
  resource: string,
): Authorization => {
  if (ONCE.some((name) => query.getAll(name).length > 1)) refuse("invalid_request", "A parameter is given twice.");
  if ((query.get("state") ?? "").length > MAX_STATE_LENGTH) refuse("invalid_request", "The state is too long.");
  if (query.has("request") || query.has("request_uri")) {
    refuse("request_not_supported", "Requests must be sent as parameters.");
  }
  if (query.get("response_type") !== "code") refuse("unsupported_response_type", "Only code is offered.");
  if ((query.get("response_mode") ?? "query") !== "query") refuse("invalid_request", "Only query is offered.");
  const code_challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !CHALLENGE.test(code_challenge)) {
    refuse("invalid_request", "PKCE is needed, with S256.");
  }
  if (!query.getAll("resource").every((asked) => isSameResource(asked, resource))) {
    refuse("invalid_target", "Tokens are issued for the tool gateway only.");
  }
  if ((query.get("prompt") ?? "").split(" ").includes("none")) {
    refuse("consent_required", "A person has to consent every time.");
  }
  return { client, redirect_uri, state, scope: scopeOf(query.get("scope")), code_challenge, resource };
};

/** The address clients send for an answer (RFC 6749 §4.1.2), with its issuer (RFC 9207). */
export const answerAt = (
  { redirect_uri, state }: ReturnPath,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string => {
  const parameters = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirect_uri}${redirect_uri.includes("?") ? "&" : "?"}${parameters}`;
};

/** With or without the slash that some put at the end; on one's own machine by whichever of its names. */
export const isSameResource = (asked: string, resource: string): boolean =>
  [resource, `${resource}/`].some((known) => asked === known || isSameHere(asked, known));

/**
 * Scopes that mean nothing here are left out rather than refused (RFC 6749 §3.3): clients copy them from elsewhere.
 * A request without a scope gets the smallest useful one.
 */
const scopeOf = (asked: string | null): string => {
  const wanted = (asked ?? "").split(" ").filter((scope) => scope !== "");
  const tools = wanted.length === 0 || wanted.includes("mcp:tools");
  return tools ? "mcp:tools offline_access" : "offline_access";
};

const once = (query: URLSearchParams, name: string): string | null => {
  const values = query.getAll(name);
  return values.length === 1 ? (values[0] ?? null) : null;
};

const refuse = (code: OAuthErrorCode, message: string): never => {
  throw new OAuthError(code, message);
};
