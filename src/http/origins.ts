import { GuardError } from "#core/errors";
import { isLoopback } from "#core/ip-range";

/** Headers of the protocol that a page may send, and one family beside them. Lower case. */
const SENT = new Set([
  "accept",
  "api-key",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
  "x-conversation-id",
]);
const SENT_FAMILY = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/;
const READ = [
  "WWW-Authenticate",
  "Mcp-Session-Id",
  "MCP-Protocol-Version",
  "X-Request-Id",
  "X-Guard-Action",
  "X-Guard-Event-Id",
  "X-Guard-Overhead-Ms",
].join(", ");
const PREFLIGHT_S = 600;

/**
 * Which web pages may call. Stops pages that reach a hub on the machine of who reads them, by DNS rebinding or
 * outright (MCP, Streamable HTTP, security warning). Programs send no Origin and are not concerned.
 */
export class OriginCheck {
  private readonly allowed: ReadonlySet<string>;

  constructor(
    private readonly publicUrl: () => string,
    allowed: readonly string[],
  ) {
    this.allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
  }

  /** The page's origin when it may call, null when no page is calling. Throws `origin_not_allowed`. */
  check(request: Request): string | null {
    const origin = request.headers.get("origin");
    if (origin === null || this.isAllowed(origin)) return origin;
    throw new GuardError(
      "origin_not_allowed",
      "Pages of this origin may not call the hub. Operators add it to tool_gateway.allowed_origins.",
    );
  }

  private isAllowed(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, hostname, origin: canonical } = new URL(origin);
    // What is not spelled as browsers spell it was not sent by one; "null" stands for any sandboxed page.
    if (canonical !== origin || (protocol !== "http:" && protocol !== "https:")) return false;
    return isLoopback(hostname) || this.allowed.has(origin) || origin === new URL(this.publicUrl()).origin;
  }
}

/** What lets the page read the answer. Empty when no page asks. */
export const corsHeaders = (origin: string | null): Readonly<Record<string, string>> =>
  origin === null
    ? {}
    : { "access-control-allow-origin": origin, "access-control-expose-headers": READ, vary: "Origin" };

/** Of answers that any page may read. */
export const ANY_PAGE = { "access-control-allow-origin": "*" } as const;

/** Answers a preflight for such an answer. `sent`: the headers a page may send. */
export const anyPagePreflight = (sent: string): Response =>
  new Response(null, {
    status: 204,
    headers: { ...ANY_PAGE, "access-control-allow-methods": "GET, OPTIONS", "access-control-allow-headers": sent },
  });

/** Whether this is a browser's question before the call itself, which comes without a token (Fetch §4.8). */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

/** What a preflight is told beside `corsHeaders`: of the headers it asks for, those it may send. */
export const preflightHeaders = ({ headers }: Request, methods: string): Readonly<Record<string, string>> => {
  const asked = (headers.get("access-control-request-headers") ?? "").toLowerCase().split(",");
  const allowed = asked.map((name) => name.trim()).filter((name) => SENT.has(name) || SENT_FAMILY.test(name));
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": allowed.join(", "),
    "access-control-max-age": String(PREFLIGHT_S),
  };
};
