import { isRecord } from "#core/json/json";
import { OAuthError } from "./error";
import { isNative, isRedirectUri } from "./redirect";

const MAX_URIS = 10;
const MAX_NAME_LENGTH = 80;

/** What is kept of what a client says of itself (RFC 7591 §2). All the rest it gets from us. */
export type Registration = { readonly name: string | null; readonly redirect_uris: readonly string[] };

/**
 * Clients say a lot about themselves that does not hold here: that they are web applications, that they want secrets
 * and grants of other kinds. Refusing them for it would keep most of them out, so they are told what they got (§3.2.1).
 */
export const registrationOf = (body: unknown): Registration => {
  if (!isRecord(body)) throw new OAuthError("invalid_client_metadata", "The body is not a JSON object.");
  const { redirect_uris: uris, grant_types: grants, response_types: responses } = body;
  if (!isTexts(uris) || uris.length === 0 || uris.length > MAX_URIS) {
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must be a list of 1 to ${MAX_URIS} URIs.`);
  }
  if (!uris.every(isRedirectUri)) {
    throw new OAuthError(
      "invalid_redirect_uri",
      "redirect_uris must be https, http on localhost, 127.0.0.1 or [::1], or a known program's scheme.",
    );
  }
  mustHave(grants, "authorization_code", "grant_types");
  mustHave(responses, "code", "response_types");
  return { name: nameOf(body["client_name"]), redirect_uris: [...new Set(uris)] };
};

/** What is registered, as RFC 7591 §3.2.1 wants it told. `createdAt` in Unix milliseconds. */
export const registered = (clientId: string, { name, redirect_uris }: Registration, createdAt: number) => ({
  client_id: clientId,
  client_id_issued_at: Math.floor(createdAt / 1_000),
  ...(name === null ? {} : { client_name: name }),
  redirect_uris,
  application_type: redirect_uris.some(isNative) ? "native" : "web",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: "mcp:tools offline_access",
});

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const mustHave = (values: unknown, needed: string, field: string): void => {
  if (values === undefined || values === null) return;
  if (isTexts(values) && (values.length === 0 || values.includes(needed))) return;
  throw new OAuthError("invalid_client_metadata", `Only ${needed} is supported: ${field} must include it.`);
};

/** Control and formatting characters could make the name look like another one, or like words of the hub's. */
const nameOf = (value: unknown): string | null => {
  if (typeof value !== "string") return null;
  const shown = value
    .normalize("NFC")
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return shown === "" ? null : [...shown].slice(0, MAX_NAME_LENGTH).join("");
};
