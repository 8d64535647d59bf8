import { Elysia } from "elysia";
import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import type { QueryChecks } from "#http/openapi/query-check";
import type { Role } from "#model/person";
import { isFresh, type Person } from "#model/session";
import type { CookieSessionAuth } from "./cookie";
import { bearerToken } from "./token";

type SessionAuthNeeds = {
  readonly authenticate: (key: string) => Person | null;
  /** Where people come with a browser, too. */
  readonly browser?: Pick<CookieSessionAuth, "person">;
  /** Whether it is a gateway token that opens `/v1`: its holder is told what is needed here. */
  readonly isToken: (key: string) => boolean;
  readonly onRefused: () => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly queries: Pick<QueryChecks, "check">;
};

/**
 * Anybody who is signed in, or people of these roles only. `fresh`: who creates credentials (a key, a
 * user, a role) has authenticated a short while ago, so that a browser left open gives nobody access of their own.
 */
type Who = "person" | { readonly roles?: readonly Role[]; readonly fresh?: true };

/**
 * Authentication of `/api`: by people's session keys and browsers that are signed in, never by gateway tokens, so
 * that an agent cannot change what governs it. A route says `role: "person"` (or which roles) and gets a `person`, or `open: "<why>"`.
 */
export const sessionAuth = ({ authenticate, browser, isToken, onRefused, now, queries }: SessionAuthNeeds) =>
  new Elysia({ name: "signed-in-person" }).macro({
    role: (who: Who) => ({
      detail: {
        security: [{ session: [] }, { browser: [] }],
        ...(who !== "person" && who.roles && { "x-roles": [...who.roles] }),
        ...(needsFresh(who) && { "x-fresh": true }),
      },
      resolve: async ({ headers, request, route }) => {
        const key = bearerToken(headers.authorization ?? "");
        // A request with a session key needs no Origin.
        const person = headers.authorization ? authenticate(key) : ((await browser?.person(request)) ?? null);
        if (!person) throw refusal(isToken(key), onRefused);
        checkMay(person, who, now());
        queries.check(request, route);
        return { person };
      },
    }),
    open: (why: string) => ({ detail: { security: [], "x-open": why } }),
  });

const checkMay = ({ user, session }: Person, who: Who, now: number): void => {
  const roles = who === "person" ? undefined : who.roles;
  if (roles && !roles.includes(user.role)) {
    throw new GuardError("insufficient_scope", `This requires the role ${roles.join(" or ")}.`);
  }
  if (needsFresh(who) && !isFresh(session, now)) throw notFresh();
};

const needsFresh = (who: Who): boolean => who !== "person" && who.fresh === true;

const notFresh = (): GuardError =>
  new GuardError(
    "fresh_session_required",
    "This requires a session confirmed within the last 10 minutes: send your password to POST /api/me/confirm, or sign in again, and repeat the request.",
  );

const refusal = (isToken: boolean, onRefused: () => void): GuardError => {
  if (isToken) {
    return new GuardError("insufficient_scope", "A gateway token is valid for /v1 only. Use a session key or sign in.");
  }
  onRefused();
  return new GuardError(
    "invalid_api_key",
    `A valid session is needed: sign in at /login, or send Authorization: Bearer gw-sess-…. Operators make one with ${commandLine(COMMANDS.createSession())}.`,
  );
};
