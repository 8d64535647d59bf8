import type { CookieSessionAuth } from "#http/auth/cookie";
import type { Browser } from "#identity/port";
import type { Person } from "#model/session";
import { ATTEMPT_MS } from "./oidc-attempts";
import type { OidcSignIn, Onward } from "./oidc-service";

export type OidcHandlerNeeds = {
  readonly signIn: OidcSignIn;
  readonly cookieAuth: Pick<CookieSessionAuth, "person">;
  readonly publicUrl: () => string;
  readonly addressOf: (request: Request) => string | null;
};

export const OIDC_PATH = "/api/auth/oidc";
const COOKIE = "hub.oidc";

/** What is done at the addresses of the sign-in by a provider, without the addresses. All of them lead on. */
export class OidcHandlers {
  constructor(private readonly deps: OidcHandlerNeeds) {}

  async begin(request: Request): Promise<Response> {
    const { search, searchParams } = new URL(request.url);
    // A link somebody made by hand, as other programs take it. No request names a page here: it leads to the first one.
    const isLink = searchParams.has("next") && !searchParams.has("client_id");
    const query = isLink ? "" : search.slice(1);
    return this.lead(await this.deps.signIn.begin(query, null));
  }

  /** Without a session there is nothing to confirm: sign in. */
  async confirm(request: Request): Promise<Response> {
    return this.lead(await this.deps.signIn.begin("", await this.personOf(request)));
  }

  async finish(request: Request): Promise<Response> {
    const { signIn, addressOf } = this.deps;
    const browser: Browser = { address: addressOf(request), userAgent: request.headers.get("user-agent") };
    const sealed = cookieIn(request.headers.get("cookie") ?? "", this.cookieName);
    const answer = new URL(request.url).searchParams;
    return this.lead(await signIn.finish({ answer, sealed, browser, person: await this.personOf(request) }));
  }

  private personOf(request: Request): Promise<Person | null> {
    return this.deps.cookieAuth.person(request);
  }

  /** To the provider, or to addresses of our own that no request names. */
  private lead(onward: Onward): Response {
    if (onward.kind === "provider") return leadTo(onward.url, [this.cookie(onward.sealed, ATTEMPT_MS / 1_000)]);
    const used = this.cookie("", 0);
    const query = onward.query === "" ? "" : `?${onward.query}`;
    if (onward.kind === "out") return leadTo(`${this.base}/login${query}#oidc=${onward.problem}`, [used]);
    const place = query === "" ? "/" : `/api/auth/oauth2/authorize${query}`;
    return leadTo(this.base + place, [...onward.cookies, used]);
  }

  /** Lax, since the browser comes back from elsewhere; sent to these addresses only. */
  private cookie(value: string, seconds: number): string {
    const path = new URL(this.base + OIDC_PATH).pathname;
    const secure = this.isSecure ? "; Secure" : "";
    return `${this.cookieName}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
  }

  private get cookieName(): string {
    return this.isSecure ? `__Secure-${COOKIE}` : COOKIE;
  }

  private get isSecure(): boolean {
    return new URL(this.base).protocol === "https:";
  }

  private get base(): string {
    return this.deps.publicUrl().replace(/\/+$/, "");
  }
}

const cookieIn = (header: string, name: string): string =>
  header
    .split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? "";

const leadTo = (url: string, cookies: readonly string[]): Response => {
  const headers = new Headers({ location: url, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
};
