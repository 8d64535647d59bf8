import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";

type Wanted = { readonly userId: string };

/** The one check the library wants of a body, in the form it wants (Standard Schema 1). */
const wanted = {
  "~standard": {
    version: 1,
    vendor: "guardhouse",
    validate: (value: unknown) => {
      const userId: unknown = Reflect.get(Object(value), "userId");
      return typeof userId === "string" ? { value: { userId } } : { issues: [{ message: "a userId is needed" }] };
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
          // Looked up this very moment: whoever was disabled since their password was checked stays out.
          if (!user || Reflect.get(user, "disabled") !== false) throw new APIError("FORBIDDEN");
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(context, { session, user });
          const { id, createdAt, expiresAt } = session;
          return { id, user_id: user.id, created_at: createdAt.getTime(), expires_at: expiresAt.getTime() };
        },
      ),
    },
  }) satisfies BetterAuthPlugin;
