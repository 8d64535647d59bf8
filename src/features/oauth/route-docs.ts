import { Type } from "#core/schema";
import { ErrorEnvelope } from "#http/openapi/errors";
import type { Answer, RouteDoc } from "#http/openapi/route-doc";
import { ConsentDecision, Granted, OAuthFailure, Registered } from "./schema";

/* What is written down about the addresses clients of OAuth ask. */

const FORM = "application/x-www-form-urlencoded";
/** What is refused before the route comes in the hub's own envelope. */
const failing = (description: string): Answer => ({
  schema: Type.Union([OAuthFailure, ErrorEnvelope]),
  description,
});
const FAILURES: RouteDoc["answers"] = {
  400: failing("Invalid request."),
  401: failing("Unknown client."),
  403: failing("The origin may not call the tool gateway."),
  413: failing("Request too large."),
  429: failing("Too many requests."),
  503: failing("Audit records cannot be written."),
};

const Registering = Type.Object(
  {
    redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 10, examples: [["http://127.0.0.1/callback"]] }),
    client_name: Type.Optional(Type.String({ examples: ["An editor"] })),
  },
  { additionalProperties: true, $id: "ClientRegistration", description: "RFC 7591. Other fields are ignored." },
);

const CLIENT_ID = Type.String({
  description: "Client id from registration, or URL of the client metadata document.",
  examples: ["01a1fbfa-d53a-7410-9bb7-0d100e31ae5a"],
});

const TokenForm = Type.Object(
  {
    grant_type: Type.String({ description: "authorization_code or refresh_token.", examples: ["refresh_token"] }),
    client_id: CLIENT_ID,
    code: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String({ description: "RFC 7636." })),
    redirect_uri: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
    resource: Type.Optional(Type.String({ description: "URL of the tool gateway (RFC 8707)." })),
    scope: Type.Optional(Type.String()),
  },
  { additionalProperties: true, $id: "TokenRequest" },
);
const CLIENT = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";
const RefreshExample = `grant_type=refresh_token&client_id=${CLIENT}&refresh_token=…`;
const RevokeForm = Type.Object(
  { client_id: CLIENT_ID, token: Type.String() },
  { additionalProperties: true, $id: "RevocationRequest" },
);

export const REGISTERING: RouteDoc = { body: Registering, answers: { ...FAILURES, 201: Registered } };
export const GRANTING: RouteDoc = {
  body: { schema: TokenForm, media: FORM, example: formOf(RefreshExample) },
  answers: { ...FAILURES, 200: Granted },
};
export const REVOKING: RouteDoc = {
  body: { schema: RevokeForm, media: FORM, example: { client_id: CLIENT, token: "…" } },
  answers: { ...FAILURES, 200: { description: "The token is invalid now; also for unknown tokens." } },
};

export const PREFLIGHTING: RouteDoc = {
  answers: { 204: { description: "Allowed for the same web pages as the tool gateway." } },
  errors: ["origin_not_allowed"],
};

const PAGE: Answer = { media: "text/html; charset=utf-8", example: "<!doctype html>" };
export const ASKING: RouteDoc = {
  description: "The authorization request of RFC 6749, with PKCE (S256) and the gateway as resource.",
  query: {
    client_id: CLIENT_ID,
    redirect_uri: Type.String(),
    response_type: Type.Literal("code"),
    code_challenge: Type.String(),
    code_challenge_method: Type.Literal("S256"),
    state: Type.String(),
    scope: Type.String({ examples: ["mcp:tools offline_access"] }),
    resource: Type.String({ description: "URL of the tool gateway (RFC 8707)." }),
  },
  required: ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"],
  answers: {
    200: { ...PAGE, description: "Consent page." },
    302: {
      description: "Redirect to the sign-in, or to the client with an error.",
      headers: { location: "Redirect target." },
    },
    400: { ...PAGE, description: "Error page: unknown client or redirect address." },
  },
};
export const CONSENTING: RouteDoc = {
  body: { schema: ConsentDecision, example: { query: "client_id=…", accept: true, tools: ["files__*"] } },
  answers: {
    200: Type.Object({ url: Type.String({ description: "Redirect target, with a code or a refusal." }) }),
  },
  errors: ["invalid_api_key", "origin_not_allowed", "state_conflict"],
};

function formOf(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}
