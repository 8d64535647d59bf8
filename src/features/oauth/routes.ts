import { Elysia } from "elysia";
import type { sessionAuth } from "#http/auth/session";
import { describe, type RouteDoc } from "#http/openapi/route-doc";
import { OAUTH_PATH, type OAuthHandlerNeeds, OAuthHandlers } from "./handlers";
import { ASKING, CONSENTING, GRANTING, PREFLIGHTING, REGISTERING, REVOKING } from "./route-docs";

type HttpEntry = { readonly auth: ReturnType<typeof sessionAuth> };

const about = (summary: string, open: string, told: RouteDoc) => ({
  open,
  parse: "none" as const,
  detail: describe("OAuth", summary, told),
});

const REGISTER = about(
  "Register an OAuth client",
  "clients register before anybody knows them (RFC 7591)",
  REGISTERING,
);
const TOKEN = about("Get or refresh an OAuth token", "a code or refresh token is the key", GRANTING);
const REVOKE = about("Revoke an OAuth token", "the token is the key", REVOKING);
const PREFLIGHT = about("CORS preflight", "browsers ask before pages may", PREFLIGHTING);
const AUTHORIZE = about("Authorize an OAuth client", "redirects users without a session to the sign-in", ASKING);

/** What programs that are web pages call themselves. */
const OPEN_TO_PAGES = [
  `${OAUTH_PATH}/register`,
  `${OAUTH_PATH}/token`,
  `${OAUTH_PATH}/revoke`,
  "/register",
  "/token",
] as const;

/** The authorization server, and the addresses at the root that some clients use whatever the metadata says. */
export const oauthRoutes = (deps: OAuthHandlerNeeds & HttpEntry) => {
  const handlers = new OAuthHandlers(deps);
  const preflights = new Elysia({ name: "oauth-preflights" }).use(deps.auth);
  for (const path of OPEN_TO_PAGES) preflights.options(path, ({ request }) => handlers.preflight(request), PREFLIGHT);
  return new Elysia({ name: "oauth" })
    .use(deps.auth)
    .use(preflights)
    .post(`${OAUTH_PATH}/register`, ({ request }) => handlers.register(request), REGISTER)
    .get(`${OAUTH_PATH}/authorize`, ({ request }) => handlers.authorize(request), AUTHORIZE)
    .post(
      `${OAUTH_PATH}/consent`,
      ({ request }) => handlers.consent(request),
      about(
        "Grant or deny consent to an OAuth client",
        "opened by the browser's session alone, for the hub's own page",
        CONSENTING,
      ),
    )
    .post(`${OAUTH_PATH}/token`, ({ request }) => handlers.token(request), TOKEN)
    .post(`${OAUTH_PATH}/revoke`, ({ request }) => handlers.revoke(request), REVOKE)
    .post("/register", ({ request }) => handlers.register(request), REGISTER)
    .get("/authorize", ({ request }) => handlers.authorize(request), AUTHORIZE)
    .post("/token", ({ request }) => handlers.token(request), TOKEN);
};
