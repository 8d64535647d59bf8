import type { ErrorCode } from "#core/errors";
import type { ClientTypes } from "#http/endpoint";
import { type OpenRouterNeeds, openEndpoint, openRouter } from "#http/open-endpoint";
import { type HtmlPage, pageResponse } from "#http/pages/html-page";
import type { Browser } from "#identity/port";
import { OIDC_PATH, type OidcHandlerNeeds, OidcHandlers } from "./oidc-handlers";
import { atAddress, INVITE, loginPage, SETUP } from "./pages/pages";
import { Acceptance, Credentials, FirstAdmin, InvitationLook, Invitee, SignedOut } from "./schema";
import type { Cookies, SignInService } from "./service";

type SignInNeeds = {
  readonly service: SignInService;
  readonly addressOf: (request: Request) => string | null;
  /** Where people reach the hub. */
  readonly publicUrl: () => string;
  /** What the OpenID provider is called; null for none. */
  readonly provider: string | null;
  readonly byPassword: boolean;
  readonly hasAdmin: () => boolean;
};

const withCookies = (answer: Response, cookies: Cookies): Response => {
  for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
  return answer;
};

const done = (cookies: Cookies): Response => withCookies(new Response(null, { status: 204 }), cookies);

const PAGE = {
  open: "a page that says the same to everybody",
  answers: { 200: { media: "text/html; charset=utf-8", description: "A page.", example: "<!doctype html>" } },
} as const;

/** Everything that makes or ends a browser's session: no body, and the cookie in a header. */
const CAME_IN = {
  204: { description: "Done.", headers: { "set-cookie": "Session cookie, or its removal." } },
} as const;
const PACED: readonly ErrorCode[] = ["rate_limit_exceeded"];
const TOKEN = "J4kTnYyzYxTfVbqDZ8H2lqkG5nVw3sQm7RrC0pXeUaI";
const LINKED: readonly ErrorCode[] = [...PACED, "link_invalid"];
const LINK = "the link's secret is the key";

const shown = (it: HtmlPage, publicUrl: string): Response =>
  pageResponse(atAddress(it, publicUrl), new URL(publicUrl).protocol === "https:");

/** The only addresses below `/api/auth` there are, with the pages that ask them. */
const signInEndpoints = ({ service, addressOf, publicUrl, ...page }: SignInNeeds) => {
  const browserOf = browserAt(addressOf);
  return [
    openEndpoint("GET /login", {
      summary: "Sign in",
      ...PAGE,
      handler: () => shown(loginPage({ ...page, hasAdmin: page.hasAdmin() }), publicUrl()),
    }),
    openEndpoint("GET /invite", {
      summary: "Set a password with an invitation",
      ...PAGE,
      handler: () => shown(INVITE, publicUrl()),
    }),
    openEndpoint("POST /api/auth/sign-in", {
      summary: "Sign in",
      open: "this is how people come in",
      body: { schema: Credentials, example: { email: "eve@example.com", password: "what she said it is" } },
      answers: CAME_IN,
      errors: [...PACED, "sign_in_failed", "password_sign_in_off"],
      handler: async ({ body, request }) => done(await service.signIn(body, browserOf(request))),
    }),
    openEndpoint("POST /api/auth/sign-out", {
      summary: "Sign out",
      open: "an ended session can go too",
      answers: {
        ...CAME_IN,
        200: {
          schema: SignedOut,
          description: "Signed out; the browser continues to the sign-out of the OpenID provider.",
          headers: { "set-cookie": "The end of the browser's session." },
        },
      },
      errors: PACED,
      handler: async ({ request }) => {
        const { cookies, provider } = await service.signOut(request.headers.get("cookie") ?? "");
        if (provider === null) return done(cookies);
        const told: SignedOut = { provider_sign_out: provider };
        return withCookies(Response.json(told, { headers: { "cache-control": "no-store" } }), cookies);
      },
    }),
    openEndpoint("POST /api/auth/invitation", {
      summary: "Get the user an invitation is for",
      open: LINK,
      body: { schema: InvitationLook, example: { token: TOKEN } },
      answers: { 200: Invitee },
      errors: LINKED,
      handler: ({ body, request }) => service.invited(body.token, addressOf(request)),
    }),
    openEndpoint("POST /api/auth/invitation/accept", {
      summary: "Set a password with an invitation",
      open: LINK,
      body: { schema: Acceptance, example: { token: TOKEN, password: "a long one of her own" } },
      answers: CAME_IN,
      errors: LINKED,
      handler: async ({ body, request }) => done(await service.accept(body, browserOf(request))),
    }),
  ] as const;
};

export type SignInClient = ClientTypes<ReturnType<typeof signInEndpoints>[number]>;

export const signInRoutes = (needs: SignInNeeds & Omit<OpenRouterNeeds, "tag">) =>
  openRouter({ ...needs, tag: "Sign-in" }, signInEndpoints(needs));

const browserAt =
  (addressOf: SignInNeeds["addressOf"]) =>
  (request: Request): Browser => ({ address: addressOf(request), userAgent: request.headers.get("user-agent") });

/** The link is used up. The empty fragment takes the place of its secret. */
const toLogin = (publicUrl: string): Response =>
  new Response(null, {
    status: 302,
    headers: { location: `${publicUrl.replace(/\/+$/, "")}/login#`, "cache-control": "no-store" },
  });

/** Apart from the others: it is served before there is anybody. */
export const setupRoutes = (needs: SignInNeeds & Omit<OpenRouterNeeds, "tag">) => {
  const { service, addressOf, publicUrl, hasAdmin } = needs;
  return openRouter({ ...needs, tag: "Sign-in" }, [
    openEndpoint("GET /setup", {
      summary: "Set-up page of the first administrator",
      ...PAGE,
      isEarly: true,
      answers: {
        ...PAGE.answers,
        302: {
          description: "Redirect to the sign-in, once there is an administrator.",
          headers: { location: "Redirect target." },
        },
      },
      handler: () => (hasAdmin() ? toLogin(publicUrl()) : shown(SETUP, publicUrl())),
    }),
    openEndpoint("POST /api/auth/setup", {
      summary: "Create the first administrator",
      open: LINK,
      body: {
        schema: FirstAdmin,
        example: { token: TOKEN, email: "eve@example.com", password: "a long one of her own" },
      },
      isEarly: true,
      answers: CAME_IN,
      errors: [...LINKED, "already_exists"],
      handler: async ({ body, request }) => done(await service.setUp(body, browserAt(addressOf)(request))),
    }),
  ]);
};

const LEADING = {
  open: "leads to the provider or to the hub's own pages",
  isRecorded: true,
  answers: {
    302: {
      description: "Redirect to the provider, or to pages of the hub.",
      headers: { location: "Redirect target." },
    },
  },
  errors: PACED,
} as const;

/** Sign-in by an OpenID provider. */
export const oidcRoutes = (needs: OidcHandlerNeeds & Omit<OpenRouterNeeds, "tag">) => {
  const handlers = new OidcHandlers(needs);
  return openRouter({ ...needs, tag: "Sign-in" }, [
    openEndpoint(`GET ${OIDC_PATH}`, {
      summary: "Sign in at the provider",
      ...LEADING,
      handler: ({ request }) => handlers.begin(request),
    }),
    openEndpoint(`GET ${OIDC_PATH}/confirm`, {
      summary: "Confirm the session there",
      ...LEADING,
      handler: ({ request }) => handlers.confirm(request),
    }),
    openEndpoint(`GET ${OIDC_PATH}/callback`, {
      summary: "Come back from the provider",
      ...LEADING,
      handler: ({ request }) => handlers.finish(request),
    }),
  ]);
};
