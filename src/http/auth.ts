import { Elysia } from "elysia";
import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";

/** One code and one sentence for every refusal, so that nobody learns which tokens exist. */
export const invalidToken = (): GuardError =>
  new GuardError(
    "invalid_api_key",
    "A valid gateway token is needed: Authorization: Bearer gw-live-…. Tokens are issued in the dashboard under Settings, Keys.",
  );

/**
 * The door. A route says `role: "caller"` and gets a `caller`, or `open: "<why>"` and serves anybody.
 * Either is written into the route's description; a route that says neither fails the route test.
 */
export const signedIn = (authenticate: (token: string) => Caller | null, onRefused: () => void) =>
  new Elysia({ name: "signed-in" }).macro({
    role: (_role: "caller") => ({
      detail: { security: [{ gatewayToken: [] }] },
      resolve: ({ request }) => {
        const caller = authenticate(tokenIn(request));
        if (caller) return { caller };
        onRefused();
        throw invalidToken();
      },
    }),
    open: (why: string) => ({ detail: { security: [], "x-open": why } }),
  });

/**
 * The token of the Authorization header, empty for none. Scheme names are case-insensitive (RFC 9110 §11.1).
 * Tokens in URLs end up in logs, so none is read there.
 */
const tokenIn = (request: Request): string =>
  /^bearer +([^ ]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
