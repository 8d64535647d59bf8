import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import type { Identity } from "#identity/port";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { AuthDatabase } from "#store/auth-port";
import { authorizationServer } from "./authorization-server";
import { codesAndTokens } from "./codes-and-tokens";
import { openSession } from "./open-session";

/** A week, from signing in on; nothing prolongs it. Seconds, as the library counts. */
const SESSION_S = 7 * 86_400;
const MAX_LOGGED_LENGTH = 200;
/** Where the library reads the client's address; set by us alone, from the connection. */
const ADDRESS_HEADER = "x-guardhouse-client-address";

export type IdentityOptions = {
  readonly auth: AuthDatabase;
  /** Signs cookies. Kept sealed with the master key: who steals the database alone can forge nothing. */
  readonly secret: string;
  readonly publicUrl: string;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Nothing is read from the environment: every value the library would look for there is given here. The store must be
 * open, and so migrated, before: the library writes to its tables as it starts.
 */
export const engineOf = ({ auth, secret, publicUrl, ids, log }: IdentityOptions) =>
  betterAuth({
    // With a path it is taken as it is, so that a base path stands before it too.
    baseURL: `${publicUrl}/api/auth`,
    basePath: new URL(`${publicUrl}/api/auth`).pathname,
    secret,
    // Given too, or a variable of the library's own would take the place of the secret.
    secrets: [{ version: 1, value: secret }],
    trustedOrigins: [new URL(publicUrl).origin],
    telemetry: { enabled: false },
    // Also on PostgreSQL: the library would write lists as arrays there, and the columns are the same on both.
    database: drizzleAdapter(auth.queries, { provider: "sqlite", schema: auth.tables, transaction: false }),
    user: { additionalFields: { disabled: { type: "boolean", required: true, input: false, defaultValue: false } } },
    session: {
      expiresIn: SESSION_S,
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      additionalFields: {
        confirmedAt: { type: "date", required: false, input: false },
        signedInBy: { type: "string", required: false, input: false },
      },
    },
    account: { encryptOAuthTokens: true },
    emailAndPassword: { enabled: false },
    // Ours counts by account too, and takes no header's word for an address: see `engine/attempts.ts`.
    rateLimit: { enabled: false },
    logger: {
      level: "error",
      log: (_level, message) => log.error("identity.failed", { reason: withoutValues(message) }),
    },
    advanced: {
      cookiePrefix: "hub",
      useSecureCookies: new URL(publicUrl).protocol === "https:",
      // Below a base path there may be others on the same host, whom the cookie is none of the business of.
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax", path: new URL(publicUrl).pathname },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => ids() },
    },
    plugins: [openSession(), authorizationServer(publicUrl)],
  });

/** The message of a statement that failed goes on with its values. */
const withoutValues = (message: string): string =>
  /failed query/i.test(message) ? "a statement failed" : message.slice(0, MAX_LOGGED_LENGTH);

/** Sessions of browsers, and codes and tokens of tool clients, by Better Auth. */
export const betterAuthIdentity = (options: IdentityOptions): Identity => {
  const engine = engineOf(options);
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw await options.auth.told(error);
    }
  };
  return {
    oauth: codesAndTokens(engine, options.publicUrl),
    signIn: async (userId, { address, userAgent }, { how, provedAt: confirmedAt }) => {
      const headers = new Headers();
      if (address !== null) headers.set(ADDRESS_HEADER, address);
      if (userAgent !== null) headers.set("user-agent", userAgent);
      const body = { userId, confirmedAt, how };
      const answer = await asked(engine.api.openSession({ body, headers, returnHeaders: true }));
      return { session: answer.response, cookies: answer.headers.getSetCookie() };
    },
    sessionOf: async (cookie) => {
      const found = await asked(engine.api.getSession({ headers: new Headers({ cookie }) }));
      if (!found) return null;
      const { id, userId, createdAt, expiresAt, confirmedAt, signedInBy } = found.session;
      return {
        id,
        user_id: userId,
        created_at: createdAt.getTime(),
        expires_at: expiresAt.getTime(),
        // A session of a hub that did not keep this: it is as old as its sign-in.
        confirmed_at: (confirmedAt ?? createdAt).getTime(),
        signed_in_by: signedInBy ?? null,
      };
    },
    signOut: async (cookie) => {
      const answer = await asked(engine.api.signOut({ headers: new Headers({ cookie }), returnHeaders: true }));
      return answer.headers.getSetCookie();
    },
  };
};
