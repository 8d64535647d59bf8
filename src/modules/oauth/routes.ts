import { Elysia } from "elysia";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import type { signedInPerson } from "#http/person";
import { ASKING, CONSENTING, GRANTING, PREFLIGHTING, REGISTERING, REVOKING } from "./about";
import { type ClientDoorDeps, ClientDoors } from "./client-doors";
import { OAUTH_PATH, type OAuthDoorDeps, OAuthDoors } from "./doors";
import { AllowlistChange, ClientChange } from "./schema";
import { Allowed, ClientPage, ClientState, ConnectionPage } from "./shown";

type Door = { readonly door: ReturnType<typeof signedInPerson> };

const ADMIN = { role: { roles: ["admin"] } } as const;

const about = (summary: string, open: string, told: About) => ({
  open,
  parse: "none" as const,
  detail: detailOf("OAuth", summary, told),
});

const REGISTER = about("Register a client", "clients register before anybody knows them (RFC 7591)", REGISTERING);
const TOKEN = about("Get or renew a token", "a code or refresh token is the key", GRANTING);
const REVOKE = about("Revoke a token", "the token is the key", REVOKING);
const PREFLIGHT = about("Preflight", "browsers ask before pages may", PREFLIGHTING);
const AUTHORIZE = about("Ask a person to let a client in", "sends whoever is not signed in to the sign-in", ASKING);

/** What programs that are web pages call themselves. */
const OPEN_TO_PAGES = [
  `${OAUTH_PATH}/register`,
  `${OAUTH_PATH}/token`,
  `${OAUTH_PATH}/revoke`,
  "/register",
  "/token",
] as const;

/** The authorization server, and the addresses at the root that some clients use whatever the metadata says. */
export const oauthRoutes = (deps: OAuthDoorDeps & Door) => {
  const doors = new OAuthDoors(deps);
  const preflights = new Elysia({ name: "oauth-preflights" }).use(deps.door);
  for (const path of OPEN_TO_PAGES) preflights.options(path, ({ request }) => doors.preflight(request), PREFLIGHT);
  return new Elysia({ name: "oauth" })
    .use(deps.door)
    .use(preflights)
    .post(`${OAUTH_PATH}/register`, ({ request }) => doors.register(request), REGISTER)
    .get(`${OAUTH_PATH}/authorize`, ({ request }) => doors.authorize(request), AUTHORIZE)
    .post(
      `${OAUTH_PATH}/consent`,
      ({ request }) => doors.consent(request),
      about("Let a client in, or not", "opened by the browser's session alone, for the hub's own page", CONSENTING),
    )
    .post(`${OAUTH_PATH}/token`, ({ request }) => doors.token(request), TOKEN)
    .post(`${OAUTH_PATH}/revoke`, ({ request }) => doors.revoke(request), REVOKE)
    .post("/register", ({ request }) => doors.register(request), REGISTER)
    .get("/authorize", ({ request }) => doors.authorize(request), AUTHORIZE)
    .post("/token", ({ request }) => doors.token(request), TOKEN);
};

const ours = (summary: string, told: About) => ({
  parse: "none" as const,
  detail: detailOf("OAuth clients", summary, told),
});

/** The clients a person let in, and all of them for administrators. */
export const oauthClientRoutes = (deps: ClientDoorDeps & Door) => {
  const doors = new ClientDoors(deps);
  return new Elysia({ name: "oauth-clients", prefix: "/api/oauth" })
    .use(deps.door)
    .get("/clients", ({ person, query }) => doors.own(person, query), {
      role: "person",
      ...ours("The clients you let in, and what they may use", { query: PAGE_QUERY, answers: { 200: ConnectionPage } }),
    })
    .patch("/clients/:id", ({ person, params, request }) => doors.allow(person, params.id, request), {
      role: "person",
      ...ours("Change what a client may use of your tools", {
        body: { schema: AllowlistChange, example: { tools: ["files__*"] } },
        answers: { 200: Allowed },
      }),
    })
    .delete("/clients/:id", ({ person, params }) => doors.revoke(person, params.id), {
      role: "person",
      ...ours("Disconnect a client from you", { answers: { 204: {} } }),
    })
    .get("/all-clients", ({ query }) => doors.all(query), {
      ...ADMIN,
      ...ours("All clients, with who let them in", { query: PAGE_QUERY, answers: { 200: ClientPage } }),
    })
    .patch("/all-clients/:id", ({ person, params, request }) => doors.setState(person, params.id, request), {
      ...ADMIN,
      ...ours("Disable a client for everybody, or enable it again", {
        body: ClientChange,
        answers: { 200: ClientState },
      }),
    });
};
