import { bearer } from "@elysiajs/bearer";
import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import type { QueryChecks } from "#http/openapi/query-check";
import type { TokenPrincipal } from "#model/principal";

/** One code and one sentence for every refusal, so that nobody learns which tokens exist. */
export const invalidToken = (headers?: Readonly<Record<string, string>>): GuardError =>
  new GuardError(
    "invalid_api_key",
    // OpenAI's own first words: clients such as LiteLLM know a refused key by them.
    "Incorrect API key provided. A valid gateway token is needed: Authorization: Bearer gw-live-…. Tokens are issued in the dashboard under Settings, Keys.",
    { headers },
  );

/**
 * Authentication by gateway token. A route says `role: "caller"` and gets a `caller`, or `open: "<why>"` and serves anybody.
 * Either is written into the route's description; a route that says neither fails the route test.
 */
export const tokenAuth = (
  authenticate: (token: string) => TokenPrincipal | null,
  onRefused: () => void,
  queries: Pick<QueryChecks, "check">,
) =>
  new Elysia({ name: "signed-in" }).use(bearer()).macro({
    role: (_role: "caller") => ({
      detail: { security: TOKEN_SECURITY },
      resolve: ({ bearer: token, headers, request, route }) => {
        const inHeader = tokenFrom(headers.authorization ?? "", token);
        const caller = authenticate(oneToken(inHeader, (name) => headers[name] ?? null));
        if (!caller) {
          onRefused();
          throw invalidToken();
        }
        queries.check(request, route);
        return { caller };
      },
    }),
    open: (why: string) => ({ detail: { security: [], "x-open": why } }),
  });

/**
 * The token the plugin has read, when it has read it in the header: it looks into the query too, and tokens in
 * URLs end up in logs. It knows one spelling of the scheme, and schemes are case-insensitive (RFC 9110 §11.1).
 */
const tokenFrom = (header: string, read: string | undefined): string => {
  if (header.startsWith("Bearer ")) return (read ?? "").trim();
  return bearerToken(header);
};

/** Beside `Authorization`: Anthropic's clients use the first, Azure's the second. */
const KEY_HEADERS = ["x-api-key", "api-key"] as const;

/** For OpenAPI: any of the three. */
export const TOKEN_SECURITY: Record<string, string[]>[] = [{ gatewayToken: [] }, { xApiKey: [] }, { apiKey: [] }];

/** In place of a token where a request has several: no token has spaces, so it is refused as any other wrong one. */
const SEVERAL = "several tokens";

/**
 * The token of a request whose `Authorization` header holds `inHeader`; empty for none. With two different ones it
 * would depend on who reads which, here and in proxies, for whom the call is: such a request has no valid token.
 */
export const oneToken = (inHeader: string, header: (name: string) => string | null): string => {
  let token = inHeader;
  for (const name of KEY_HEADERS) {
    const value = header(name)?.trim() ?? "";
    if (value === "") continue;
    // Also what `Authorization` holds besides a bearer token says who is calling.
    if (token === "" && header("authorization") !== null) return SEVERAL;
    if (token !== "" && token !== value) return SEVERAL;
    token = value;
  }
  return token;
};

/** The token in an `Authorization` header; empty for none. For routes that answer in a way of their own. */
export const bearerToken = (header: string): string => /^bearer +([^ ]+) *$/i.exec(header)?.[1] ?? "";
