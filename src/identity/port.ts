import type { BrowserSession } from "#store/sign-in-port";

/*
 * What we need of the library for browser sessions, in our own terms, so that it can be replaced. Who somebody is and
 * whether a password is theirs is decided before it is asked; it knows the users by the mirror our store writes.
 */

/** The browser that asks, as its session is shown to people later. */
export type Browser = { readonly address: string | null; readonly userAgent: string | null };

export type SignedIn = {
  readonly session: Pick<BrowserSession, "id" | "user_id" | "created_at" | "expires_at"> & {
    /** When its user last proved who they are. Unix milliseconds. */
    readonly confirmed_at: number;
    /** How its user signed in; null where that was not kept. */
    readonly signed_in_by: string | null;
  };
  /** `Set-Cookie` headers for the answer. */
  readonly cookies: readonly string[];
};

/** A good request for a code, in our own words: everything about it was checked before. */
export type CodeRequest = {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scope: string;
  readonly state: string | null;
  readonly code_challenge: string;
  readonly resource: string;
};

/** What the token endpoint was sent, as far as it means anything here. */
export type TokenRequest = Readonly<Record<string, string>>;

/** An answer of RFC 6749 §5, granted or not. */
export type TokenAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/**
 * The engine of the authorization server: makes codes and turns them into tokens. Who may ask, for what, and what a
 * token opens is decided outside it.
 */
export type CodesAndTokens = {
  /** Resolves once clients can be registered. */
  ready(): Promise<void>;
  /** A code for the browser's user, who has just consented. Null when the engine refuses. */
  codeFor(request: CodeRequest, cookie: string): Promise<string | null>;
  tokensFor(request: TokenRequest): Promise<TokenAnswer>;
};

export type Identity = {
  readonly oauth: CodesAndTokens;
  /**
   * A new session, always: what the browser had before counts for nothing. `provedAt` is when the user proved who they
   * are, Unix milliseconds; `how`, by what.
   */
  signIn(userId: string, browser: Browser, proof: { how: string; provedAt: number }): Promise<SignedIn>;
  /** The session that the cookie stands for; null for none, and for one that has ended. */
  sessionOf(cookie: string): Promise<SignedIn["session"] | null>;
  /** Ends the session. Returns the `Set-Cookie` headers that clear the cookie. */
  signOut(cookie: string): Promise<readonly string[]>;
};
