import type { BrowserSession } from "#store/sign-in-port";

/*
 * What we need of whoever keeps browser sessions, in our own words, so that it can be replaced. Who somebody is and
 * whether a password is theirs is decided before it is asked; it knows the users by the mirror our store writes.
 */

/** The browser that asks, as its session is shown to people later. */
export type Browser = { readonly address: string | null; readonly userAgent: string | null };

export type SignedIn = {
  readonly session: Pick<BrowserSession, "id" | "user_id" | "created_at" | "expires_at">;
  /** `Set-Cookie` headers for the answer. */
  readonly cookies: readonly string[];
};

export type Identity = {
  /** A new session, always: what the browser had before counts for nothing. */
  signIn(userId: string, browser: Browser): Promise<SignedIn>;
  /** The session that the cookie stands for; null for none, and for one that has ended. */
  sessionOf(cookie: string): Promise<SignedIn["session"] | null>;
  /** Ends the session. Returns the `Set-Cookie` headers that clear the cookie. */
  signOut(cookie: string): Promise<readonly string[]>;
};
