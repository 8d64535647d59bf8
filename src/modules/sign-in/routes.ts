import { type AnyElysia, Elysia } from "elysia";
import type { ErrorCode } from "#core/errors";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import type { BrowserDoor } from "#http/browser";
import { type Page, pageResponse } from "#http/html-page";
import { type About, detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import type { Browser } from "#identity/port";
import { OIDC_PATH, type OidcDoorDeps, OidcDoors } from "./oidc-doors";
import { atAddress, INVITE, loginPage, SETUP } from "./pages/pages";
import { Acceptance, Credentials, FirstAdmin, InvitationLook, Invitee, SignedOut } from "./schema";
import type { Cookies, SignInService } from "./service";

type Deps = {
  readonly service: SignInService;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly browsers: Pick<BrowserDoor, "checkOrigin">;
  readonly addressOf: (request: Request) => string | null;
  /** Where people reach the hub. */
  readonly publicUrl: () => string;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** What the OpenID provider is called; null for none. */
  readonly provider: string | null;
  readonly byPassword: boolean;
  readonly hasAdmin: () => boolean;
};

/** Enough for a form of a few fields. */
const BODY_BYTES = 16_384;

/** What is done at the addresses below `/api/auth`, without the addresses. */
class SignInDoors {
  private readonly checks = {
    credentials: new ShapeCheck(Credentials),
    firstAdmin: new ShapeCheck(FirstAdmin),
    look: new ShapeCheck(InvitationLook),
    acceptance: new ShapeCheck(Acceptance),
  };

  constructor(private readonly deps: Deps) {}

  async signIn(request: Request): Promise<Response> {
    const body = await this.read(request);
    return done(await this.deps.service.signIn(this.checks.credentials.check(body), this.browserOf(request)));
  }

  async signOut(request: Request): Promise<Response> {
    this.deps.browsers.checkOrigin(request);
    this.deps.admit();
    const { cookies, provider } = await this.deps.service.signOut(request.headers.get("cookie") ?? "");
    if (provider === null) return done(cookies);
    const told: SignedOut = { provider_sign_out: provider };
    return withCookies(Response.json(told, { headers: { "cache-control": "no-store" } }), cookies);
  }

  async setUp(request: Request): Promise<Response> {
    const body = await this.read(request);
    return done(await this.deps.service.setUp(this.checks.firstAdmin.check(body), this.browserOf(request)));
  }

  async invited(request: Request): Promise<Response> {
    const { token } = this.checks.look.check(await this.read(request));
    return Response.json(await this.deps.service.invited(token, this.deps.addressOf(request)));
  }

  async accept(request: Request): Promise<Response> {
    const body = await this.read(request);
    return done(await this.deps.service.accept(this.checks.acceptance.check(body), this.browserOf(request)));
  }

  /** The Origin is asked for with no cookie too: nobody shall be signed in by another's page as somebody else. */
  private async read(request: Request): Promise<unknown> {
    this.deps.browsers.checkOrigin(request);
    this.deps.admit();
    return (await bodyOf(request, BODY_BYTES))();
  }

  private browserOf(request: Request): Browser {
    return { address: this.deps.addressOf(request), userAgent: request.headers.get("user-agent") };
  }
}

const done = (cookies: Cookies): Response => withCookies(new Response(null, { status: 204 }), cookies);

const withCookies = (answer: Response, cookies: Cookies): Response => {
  for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
  return answer;
};

const about = (summary: string, open: string, told: About) => ({
  open,
  parse: "none" as const,
  detail: detailOf("Sign-in", summary, told),
});

const PAGE: About = {
  answers: { 200: { media: "text/html; charset=utf-8", description: "A page.", example: "<!doctype html>" } },
};
const page = (summary: string, told: Partial<About> = {}) =>
  about(summary, "a page that says the same to everybody", { ...PAGE, ...told });

/** Everything that makes or ends a browser's session: no body, and the cookie in a header. */
const CAME_IN: About["answers"] = {
  204: { description: "It is done.", headers: { "set-cookie": "The browser's session, or its end." } },
};
const PACED: readonly ErrorCode[] = ["rate_limit_exceeded", "origin_not_allowed"];
const TOKEN = "J4kTnYyzYxTfVbqDZ8H2lqkG5nVw3sQm7RrC0pXeUaI";
const LINKED: readonly ErrorCode[] = [...PACED, "link_invalid"];

const shown = (it: Page, publicUrl: string): Response =>
  pageResponse(atAddress(it, publicUrl), new URL(publicUrl).protocol === "https:");

/** The only addresses below `/api/auth` there are, with the pages that ask them. */
export const signInRoutes = (deps: Deps) => {
  const doors = new SignInDoors(deps);
  const link = "the link's secret is the key";
  const show = (it: Page) => () => shown(it, deps.publicUrl());
  return new Elysia({ name: "sign-in" })
    .use(deps.door)
    .get("/login", () => shown(loginPage({ ...deps, hasAdmin: deps.hasAdmin() }), deps.publicUrl()), page("Sign in"))
    .get("/invite", show(INVITE), page("Set a password by a link"))
    .post(
      "/api/auth/sign-in",
      ({ request }) => doors.signIn(request),
      about("Sign in", "this is how people come in", {
        body: { schema: Credentials, example: { email: "eve@example.com", password: "what she said it is" } },
        answers: CAME_IN,
        errors: [...PACED, "sign_in_failed", "password_sign_in_off"],
      }),
    )
    .post(
      "/api/auth/sign-out",
      ({ request }) => doors.signOut(request),
      about("Sign out", "an ended session can go too", {
        answers: {
          ...CAME_IN,
          200: {
            schema: SignedOut,
            description: "It is done here; the browser goes on to end its session at the OpenID provider.",
            headers: { "set-cookie": "The end of the browser's session." },
          },
        },
        errors: PACED,
      }),
    )
    .post(
      "/api/auth/invitation",
      ({ request }) => doors.invited(request),
      about("Whom a link is for", link, {
        body: { schema: InvitationLook, example: { token: TOKEN } },
        answers: { 200: Invitee },
        errors: LINKED,
      }),
    )
    .post(
      "/api/auth/invitation/accept",
      ({ request }) => doors.accept(request),
      about("Set a password by a link", link, {
        body: { schema: Acceptance, example: { token: TOKEN, password: "a long one of her own" } },
        answers: CAME_IN,
        errors: LINKED,
      }),
    );
};

/** The link is used up. The empty fragment takes the place of its secret. */
const toLogin = (publicUrl: string): Response =>
  new Response(null, {
    status: 302,
    headers: { location: `${publicUrl.replace(/\/+$/, "")}/login#`, "cache-control": "no-store" },
  });

/** Apart from the others: it is served before there is anybody. */
export const setupRoutes = (deps: Deps) => {
  const doors = new SignInDoors(deps);
  return new Elysia({ name: "setup" })
    .use(deps.door)
    .get(
      "/setup",
      () => (deps.hasAdmin() ? toLogin(deps.publicUrl()) : shown(SETUP, deps.publicUrl())),
      page("Set up the first administrator", {
        isEarly: true,
        answers: {
          ...PAGE.answers,
          302: { description: "To the sign-in, once there is an administrator.", headers: { location: "Where." } },
        },
      }),
    )
    .post(
      "/api/auth/setup",
      ({ request }) => doors.setUp(request),
      about("Make the first administrator", "the link's secret is the key", {
        body: {
          schema: FirstAdmin,
          example: { token: TOKEN, email: "eve@example.com", password: "a long one of her own" },
        },
        isEarly: true,
        answers: CAME_IN,
        errors: [...LINKED, "already_exists"],
      }),
    );
};

const LEADING: About = {
  answers: { 302: { description: "To the provider, or to the hub's own pages.", headers: { location: "Where." } } },
  errors: ["rate_limit_exceeded"],
};
const leading = (summary: string) => about(summary, "leads to the provider or to the hub's own pages", LEADING);

/** Sign-in by an OpenID provider. There are no such addresses where none is set. */
export const oidcRoutes = (deps: (OidcDoorDeps & Pick<Deps, "door">) | null): AnyElysia => {
  if (deps === null) return new Elysia({ name: "oidc" });
  const doors = new OidcDoors(deps);
  return new Elysia({ name: "oidc" })
    .use(deps.door)
    .get(OIDC_PATH, ({ request }) => doors.begin(request), leading("Sign in at the provider"))
    .get(`${OIDC_PATH}/confirm`, ({ request }) => doors.confirm(request), leading("Confirm the session there"))
    .get(`${OIDC_PATH}/callback`, ({ request }) => doors.finish(request), leading("Come back from the provider"));
};
