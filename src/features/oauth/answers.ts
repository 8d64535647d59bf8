import { GuardError } from "#core/errors";
import { readBody } from "#http/body";
import { withValues } from "#model/oauth/authorization";
import { OAuthError } from "#model/oauth/error";

/** Registration payloads and forms are small; larger bodies are refused. */
export const BODY_BYTES = 16_384;

/** JSON as clients of OAuth want it, errors too: they read no other envelope (RFC 6749 §5). */
export const oauthAnswer = async (work: () => Promise<{ readonly status: number; readonly body: unknown }>) => {
  try {
    const { status, body } = await work();
    return body === null ? new Response(null, { status, headers: NOT_KEPT }) : json(status, body);
  } catch (error) {
    if (error instanceof OAuthError) {
      const challenge = error.status === 401 ? { "www-authenticate": 'Basic realm="guardhouse"' } : {};
      return json(error.status, { error: error.code, error_description: error.message }, challenge);
    }
    if (!(error instanceof GuardError)) throw error;
    const code = error.status === 429 || error.status >= 500 ? "temporarily_unavailable" : "invalid_request";
    return json(error.status, { error: code, error_description: error.message }, error.headers);
  }
};

/** The parameters of a form, those that have a value (RFC 6749 §3.2). Whatever is no form has none. */
export const formOf = async (request: Request): Promise<URLSearchParams> => {
  const type = request.headers.get("content-type") ?? "";
  if (request.headers.has("authorization"))
    throw new OAuthError("invalid_client", "Clients of this hub have no secret.");
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthError("invalid_request", "The body must be application/x-www-form-urlencoded.");
  }
  return withValues(new URLSearchParams(await readBody(request, BODY_BYTES)));
};

/** A document that a client describes itself in. */
export const documentOf = async (request: Request): Promise<unknown> => {
  const text = await readBody(request, BODY_BYTES);
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthError("invalid_client_metadata", "The body is not JSON.");
  }
};

const NOT_KEPT = { "cache-control": "no-store", pragma: "no-cache" };

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json(body, { status, headers: { ...NOT_KEPT, ...headers } });
