import { parseAddress } from "#core/ip-range";
import { isRecord } from "#core/json/json";
import { OAuthError } from "./error";
import { isLoopbackRedirect } from "./redirect";
import { type Registration, registrationOf } from "./registration";

/*
 * Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a client's id is the https address of a
 * document that describes it. Who controls the address says what the client is; nobody registers anything.
 */

/** Whether somebody means a document by it, rightly spelled or not. Ids the hub gives out never look so. */
export const namesDocument = (clientId: string): boolean => /^https?:/i.test(clientId);

/**
 * Whether it is a document's address in the one spelling that counts (§3): what a parser would change, be it dot
 * segments, capitals, a default port or a backslash, is another id that leads to the same place.
 */
export const isDocumentUrl = (clientId: string): boolean => {
  const url = URL.parse(clientId);
  if (url === null || url.href !== clientId || url.protocol !== "https:") return false;
  const { username, password, pathname, hostname } = url;
  if (username !== "" || password !== "" || clientId.includes("#") || pathname === "/") return false;
  // People are shown the name, and a number tells them nothing.
  return !hostname.startsWith("[") && !hostname.endsWith(".") && parseAddress(hostname) === null;
};

/** Whose word the document is, as people are shown it; null for a client that registered itself. */
export const documentHostOf = (clientId: string): string | null =>
  isDocumentUrl(clientId) ? new URL(clientId).host : null;

const SECRETS = ["client_secret", "client_secret_expires_at"];

/**
 * What of a document holds here. Throws `OAuthError`. Logos, addresses of pages and all else it says are dropped: none
 * of it is verified, so none is shown or fetched.
 */
export const describedBy = (url: string, document: unknown): Registration => {
  if (!isRecord(document)) throw new OAuthError("invalid_client_metadata", "The document is not a JSON object.");
  // Or anybody could be described by anybody: the document says whose it is, letter by letter.
  if (document["client_id"] !== url)
    throw new OAuthError("invalid_client_metadata", "client_id must be the address of the document.");
  if (SECRETS.some((field) => Object.hasOwn(document, field)) || !isPublicClient(document)) {
    throw new OAuthError("invalid_client_metadata", "Clients of this hub have no secret and no key.");
  }
  const registration = registrationOf(document);
  if (!registration.redirect_uris.every((uri) => uri.startsWith("https://") || isLoopbackRedirect(uri))) {
    // Any program may claim a scheme, so a document would only lend it a name.
    throw new OAuthError("invalid_redirect_uri", "redirect_uris must be https or loopback addresses.");
  }
  return registration;
};

/** Public, or public too: some offer several ways, and take what the hub's metadata names. */
const isPublicClient = (document: Readonly<Record<string, unknown>>): boolean => {
  const { token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: methods } = document;
  return method === undefined || method === "none" || (Array.isArray(methods) && methods.includes("none"));
};

/*
 * Documents of programs that are met everywhere, as they were published in autumn 2026: they need no connection to
 * anybody, and some of their hosts refuse servers in data centres anyway. A copy is preferred to what its address
 * serves now, so that signing in depends on nobody else; it changes with a release. What is known of each, and from
 * where, is in docs/decisions/0014-client-documents.md.
 */

const LOCAL = ["http://127.0.0.1/callback", "http://localhost/callback"] as const;

export const KNOWN_DOCUMENTS: ReadonlyMap<string, Registration> = new Map([
  ["https://claude.ai/oauth/claude-code-client-metadata", { name: "Claude Code", redirect_uris: LOCAL }],
  [
    "https://claude.ai/oauth/mcp-oauth-client-metadata",
    { name: "Claude", redirect_uris: ["https://claude.ai/api/mcp/auth_callback"] },
  ],
  [
    "https://chatgpt.com/oauth/client.json",
    { name: "ChatGPT", redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"] },
  ],
  ["https://chatgpt.com/oauth/codex/client.json", { name: "Codex", redirect_uris: LOCAL }],
  [
    "https://vscode.dev/oauth/client-metadata.json",
    { name: "Visual Studio Code", redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"] },
  ],
  ["https://zed.dev/oauth/client-metadata.json", { name: "Zed", redirect_uris: ["http://127.0.0.1/callback"] }],
  ["https://opencode.ai/oauth/opencode/client.json", { name: "OpenCode", redirect_uris: LOCAL }],
]);
