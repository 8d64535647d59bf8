import { Type } from "#core/schema";
import type { About, Answer } from "#http/openapi/about";
import { ErrorEnvelope } from "#http/openapi/errors";
import { Decision } from "./schema";
import { Granted, OAuthFailure, Registered } from "./shown";

/* What is written down about the addresses clients of OAuth ask. */

const FORM = "application/x-www-form-urlencoded";
/** What is refused at the hub's own door comes in the hub's own envelope. */
const failing = (description: string): Answer => ({
  schema: Type.Union([OAuthFailure, ErrorEnvelope]),
  description,
});
const FAILURES: About["answers"] = {
  400: failing("Something is wrong with what was sent."),
  401: failing("The client is not known."),
  403: failing("A web page asks that may not call the tool gateway."),
  413: failing("It is too long."),
  429: failing("Too many ask."),
  503: failing("Nothing can be recorded now."),
};

const Registering = Type.Object(
  {
    redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 10, examples: [["http://127.0.0.1/callback"]] }),
    client_name: Type.Optional(Type.String({ examples: ["An editor"] })),
  },
  { additionalProperties: true, $id: "ClientRegistration", description: "RFC 7591. What else is said does not hold." },
);

const CLIENT_ID = Type.String({
  description: "What registering gave, or the address of the client's document.",
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
    resource: Type.Optional(Type.String({ description: "The tool gateway's address (RFC 8707)." })),
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

export const REGISTERING: About = { body: Registering, answers: { ...FAILURES, 201: Registered } };
export const GRANTING: About = {
  body: { schema: TokenForm, media: FORM, example: formOf(RefreshExample) },
  answers: { ...FAILURES, 200: Granted },
};
export const REVOKING: About = {
  body: { schema: RevokeForm, media: FORM, example: { client_id: CLIENT, token: "…" } },
  answers: { ...FAILURES, 200: { description: "It opens nothing any more; also for what was no token." } },
};

export const PREFLIGHTING: About = {
  answers: { 204: { description: "Pages that may call the tool gateway may ask this, too." } },
  errors: ["origin_not_allowed"],
};

const PAGE: Answer = { media: "text/html; charset=utf-8", example: "<!doctype html>" };
export const ASKING: About = {
  description: "The authorization request of RFC 6749, with PKCE (S256) and the gateway as resource.",
  query: {
    client_id: CLIENT_ID,
    redirect_uri: Type.String(),
    response_type: Type.Literal("code"),
    code_challenge: Type.String(),
    code_challenge_method: Type.Literal("S256"),
    state: Type.String(),
    scope: Type.String({ examples: ["mcp:tools offline_access"] }),
    resource: Type.String({ description: "The tool gateway's address (RFC 8707)." }),
  },
  required: ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method"],
  answers: {
    200: { ...PAGE, description: "A page that asks the person." },
    302: {
      description: "To the sign-in, or back to the client with what went wrong.",
      headers: { location: "Where." },
    },
    400: { ...PAGE, description: "A page: the client or its address is not known." },
  },
};
export const CONSENTING: About = {
  body: { schema: Decision, example: { query: "client_id=…", accept: true, tools: ["files__*"] } },
  answers: {
    200: Type.Object({ url: Type.String({ description: "Where the browser goes, with a code or a refusal." }) }),
  },
  errors: ["invalid_api_key", "origin_not_allowed", "state_conflict"],
};

function formOf(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}
