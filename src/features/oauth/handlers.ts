import { GuardError } from "#core/errors";
import { ShapeCheck } from "#core/shape-check";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { bodyOf } from "#http/body";
import { corsHeaders, type OriginCheck, preflightHeaders } from "#http/origins";
import { pageResponse } from "#http/pages/html-page";
import type { Person } from "#model/session";
import { BODY_BYTES, documentOf, formOf, oauthAnswer } from "./answers";
import { consentPage, invalidRequestPage } from "./consent-page";
import type { Consents } from "./consents";
import type { Registrations } from "./registrations";
import { ConsentDecision } from "./schema";
import type { OAuthTokenEndpoint } from "./tokens";

export type OAuthHandlerNeeds = {
  readonly registrations: Registrations;
  readonly consents: Consents;
  readonly tokens: OAuthTokenEndpoint;
  readonly cookieAuth: Pick<CookieSessionAuth, "person" | "checkOrigin">;
  /** Public names of the tools the user has now. */
  readonly toolsOf: (userId: string) => readonly string[];
  /** Which web pages may sign in: those that may call the tool gateway. */
  readonly origins: OriginCheck;
  /** What stands for where a request comes from. */
  readonly networkOf: (request: Request) => string;
  readonly publicUrl: () => string;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly assertAcceptingWork: () => void;
};

export const OAUTH_PATH = "/api/auth/oauth2";

/** What is done at the addresses of the authorization server, without the addresses. */
export class OAuthHandlers {
  private readonly decision = new ShapeCheck(ConsentDecision);

  constructor(private readonly deps: OAuthHandlerNeeds) {}

  register(request: Request): Promise<Response> {
    const { registrations, networkOf } = this.deps;
    return this.answer(request, async () => {
      return { status: 201, body: await registrations.register(await documentOf(request), networkOf(request)) };
    });
  }

  token(request: Request): Promise<Response> {
    const { tokens, networkOf } = this.deps;
    return this.answer(request, async () => {
      return { status: 200, body: await tokens.grant(await formOf(request), networkOf(request)) };
    });
  }

  revoke(request: Request): Promise<Response> {
    const { tokens, networkOf } = this.deps;
    return this.answer(request, async () => {
      await tokens.revoke(await formOf(request), networkOf(request));
      return { status: 200, body: null };
    });
  }

  /** Throws `origin_not_allowed`. */
  preflight(request: Request): Response {
    const cors = corsHeaders(this.deps.origins.check(request));
    return new Response(null, { status: 204, headers: { ...cors, ...preflightHeaders(request, "POST") } });
  }

  async authorize(request: Request): Promise<Response> {
    const { search, searchParams } = new URL(request.url);
    const person = await this.deps.cookieAuth.person(request);
    const asked = await this.deps.consents.parseAuthorizationRequest(searchParams, person?.user.id ?? null);
    if (asked.kind === "invalid_request") return pageResponse(invalidRequestPage(asked.why), this.isSecure);
    if (asked.kind === "answer") return leadTo(asked.url);
    // The sign-in page comes back to this address and no other, with the same parameters.
    if (!person || asked.kind === "sign_in") return leadTo(`${this.base}/login${search}`);
    const { user } = person;
    const postTo = `${new URL(this.base).pathname.replace(/\/$/, "")}${OAUTH_PATH}/consent`;
    const tools = this.deps.toolsOf(user.id);
    return pageResponse(consentPage({ ...asked.authorization, user, tools, postTo }), this.isSecure);
  }

  async consent(request: Request): Promise<Response> {
    const { cookieAuth, assertAcceptingWork, consents } = this.deps;
    cookieAuth.checkOrigin(request);
    const person = await this.person(request);
    assertAcceptingWork();
    const decision = this.decision.check((await bodyOf(request, BODY_BYTES * 2))());
    const url = await consents.decide(person, request.headers.get("cookie") ?? "", decision);
    return Response.json({ url });
  }

  /**
   * Clients that are pages read it too. No cookie is looked at here, so a page gets nothing that it does not bring the
   * key of; but one that has no business at the gateway shall not register through the browser of who reads it either.
   */
  private async answer(request: Request, work: Parameters<typeof oauthAnswer>[0]): Promise<Response> {
    let cors: ReturnType<typeof corsHeaders> = {};
    const answer = await oauthAnswer(async () => {
      cors = corsHeaders(this.deps.origins.check(request));
      this.deps.assertAcceptingWork();
      return work();
    });
    for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
    return answer;
  }

  private async person(request: Request): Promise<Person> {
    const person = await this.deps.cookieAuth.person(request);
    if (person) return person;
    throw new GuardError("invalid_api_key", "You are signed out. Reload this page.");
  }

  private get base(): string {
    return this.deps.publicUrl().replace(/\/+$/, "");
  }

  private get isSecure(): boolean {
    return new URL(this.deps.publicUrl()).protocol === "https:";
  }
}

const leadTo = (url: string): Response =>
  new Response(null, {
    status: 302,
    headers: { location: url, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
