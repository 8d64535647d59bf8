import { GuardError } from "#core/errors";
import { isLoopback } from "#core/ip-range";
import type { Person, PersonSession } from "#model/session";

type CookieSessionAuthNeeds = {
  readonly publicUrl: () => string;
  readonly sessionOf: (cookie: string) => Promise<(PersonSession & { readonly user_id: string }) | null>;
  readonly personOf: (session: PersonSession & { readonly user_id: string }) => Person | null;
};

const COOKIE = "hub.session_token=";
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** Users with a browser session. Browsers send the cookie whatever page made the request. */
export class CookieSessionAuth {
  constructor(private readonly deps: CookieSessionAuthNeeds) {}

  /** Null without a cookie, or one that opens nothing. Throws `origin_not_allowed` where it would change anything. */
  async person(request: Request): Promise<Person | null> {
    const cookie = request.headers.get("cookie") ?? "";
    if (!cookie.includes(COOKIE)) return null;
    if (!READING.has(request.method)) this.checkOrigin(request);
    const session = await this.deps.sessionOf(cookie);
    return session && this.deps.personOf(session);
  }

  /**
   * Only pages of the hub's own may change anything. No Origin is no excuse: browsers send one with whatever is not
   * GET or HEAD. Other ports of this machine are other origins here, although SameSite takes them for the same site.
   */
  checkOrigin(request: Request): void {
    const origin = request.headers.get("origin");
    if (origin !== null && (origin === new URL(this.deps.publicUrl()).origin || isAddressed(origin, request))) return;
    throw new GuardError(
      "origin_not_allowed",
      `Only pages of the hub may do this. Open ${this.deps.publicUrl()}, which operators set with public_url.`,
    );
  }
}

/** By a loopback name beside the public URL: the page's own address is the one that is called. */
const isAddressed = (origin: string, { headers }: Request): boolean => {
  const host = headers.get("host") ?? "";
  return isLoopback(host.replace(/:\d+$/, "")) && origin === `http://${host}`;
};
