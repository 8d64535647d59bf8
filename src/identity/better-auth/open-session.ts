import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";

type Wanted = {
  readonly userId: string;
  /** Unix milliseconds. */
  readonly confirmedAt: number;
  readonly how: string;
};

/** The one check the library wants of a body, in the form it wants (Standard Schema 1). */
const wanted = {
  "~standard": {
    version: 1,
    vendor: "guardhouse",
    validate: (value: unknown) => {
      const { userId, confirmedAt, how }: { userId?: unknown; confirmedAt?: unknown; how?: unknown } = Object(value);
      return typeof userId === "string" && typeof confirmedAt === "number" && typeof how === "string"
        ? { value: { userId, confirmedAt, how } }
        : { issues: [{ message: "a userId, a moment and a way to sign in are needed" }] };
    },
    types: undefined as { readonly input: Wanted; readonly output: Wanted } | undefined,
  },
} as const;

/**
 * Opens a session for a user we have recognised. Only for calls from inside: the library knows nobody's password, and
 * none of its own ways to sign in is switched on.
 */
export const openSession = () =>
  ({
    id: "guardhouse-open-session",
    endpoints: {
      openSession: createAuthEndpoint.serverOnly(
        { method: "POST", requireHeaders: true, body: wanted },
        async (context) => {
          const { internalAdapter } = context.context;
          const user = await internalAdapter.findUserById(context.body.userId);
          // Looked up again: the user may have been disabled since the password was checked.
          if (!user || Reflect.get(user, "disabled") !== false) throw new APIError("FORBIDDEN");
          const { confirmedAt, how } = context.body;
          const more = { confirmedAt: new Date(confirmedAt), signedInBy: how };
          const session = await internalAdapter.createSession(user.id, false, more);
          await setSessionCookie(context, { session, user });
          const { id, createdAt, expiresAt } = session;
          const times = { created_at: createdAt.getTime(), expires_at: expiresAt.getTime() };
          return { id, user_id: user.id, ...times, confirmed_at: confirmedAt, signed_in_by: how };
        },
      ),
    },
  }) satisfies BetterAuthPlugin;
