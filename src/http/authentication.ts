import { feature } from "#hub/feature";
import { single } from "#hub/graph";
import type { Identity } from "#identity/port";
import type { PrincipalCache } from "#identity/principal-cache";
import { CookieSessionAuth } from "./auth/cookie";
import { sessionAuth } from "./auth/session";
import { bearerToken, tokenAuth } from "./auth/token";
import { FinalResponses } from "./entry";
import { GuardAnswers } from "./guard-answers";
import { QueryChecks } from "./openapi/query-check";
import type { RegisteredRoute } from "./openapi/route-doc";

/** The routes that are served, as the router has them: first those of calls, and all once one of the others is asked for. */
export class RouteTable {
  routes: readonly RegisteredRoute[] = [];
}

/** What routes for people have in common. */
export type PersonRouteParts = {
  readonly auth: ReturnType<typeof sessionAuth>;
  readonly bodyBytes: number;
  readonly assertAcceptingWork: () => void;
  readonly onChanged: () => Promise<void>;
};

export const personRoutes = ({ auth, bodyBytes, assertAcceptingWork, onChanged }: PersonRouteParts) => ({
  auth,
  bodyBytes,
  assertAcceptingWork,
  onChanged,
});

/** What routes below `/v1/guard` have in common. */
export type CallerRouteParts = {
  readonly callerAuth: ReturnType<typeof tokenAuth>;
  readonly answers: GuardAnswers;
  readonly bodyBytes: number;
};

export const callerRoutes = ({ callerAuth, answers, bodyBytes }: CallerRouteParts) => ({
  auth: callerAuth,
  answers,
  bodyBytes,
});

type Known = { readonly principals: PrincipalCache };
type Checks = { readonly queries: QueryChecks; readonly onRefused: () => void };
type SessionParts = Known & Checks & { readonly cookieAuth: CookieSessionAuth; readonly now: () => number };
type CookieParts = Known & {
  readonly publicUrl: () => string;
  readonly people: { readonly identity: () => Promise<Identity> };
};

/** Who may ask: callers by token, people by session key or browser. */
export const authentication = feature({
  provides: {
    bodyBytes: (c: { readonly limits: { readonly bodyBytes: number } }) => c.limits.bodyBytes,
    routeTable: () => new RouteTable(),
    finalResponses: () => new FinalResponses(),
    queries: (c: { readonly routeTable: RouteTable }) => new QueryChecks(() => c.routeTable.routes),
    answers: single(GuardAnswers),
    cookieAuth: ({ principals, publicUrl, people }: CookieParts) =>
      new CookieSessionAuth({
        publicUrl,
        sessionOf: async (cookie) => (await people.identity()).sessionOf(cookie),
        personOf: (session) => principals.personOf(session),
      }),
    auth: ({ principals, cookieAuth, onRefused, now, queries }: SessionParts) =>
      sessionAuth({
        browser: cookieAuth,
        onRefused,
        now,
        queries,
        authenticate: (key) => principals.authenticatePerson(key),
        isToken: (key) => principals.authenticate(key) !== null,
      }),
    callerAuth: ({ principals, onRefused, queries }: Known & Checks) =>
      tokenAuth((token) => principals.authenticate(token), onRefused, queries),
    /** Who asks, by key or browser; null for nobody who is known. */
    personOf:
      ({ principals, cookieAuth }: Pick<SessionParts, "principals" | "cookieAuth">) =>
      async (request: Request) => {
        const key = request.headers.get("authorization");
        return key === null ? cookieAuth.person(request) : principals.authenticatePerson(bearerToken(key));
      },
  },
});
