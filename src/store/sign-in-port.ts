import type { User } from "#model/person";
import type { SerialisedRecord } from "./record";

/** A signed-in browser. Its secret is known to the browser and the identity library only. Times are Unix milliseconds. */
export type BrowserSession = {
  readonly id: string;
  readonly user_id: string;
  readonly user_agent: string | null;
  readonly ip_address: string | null;
  readonly created_at: number;
  readonly expires_at: number;
};

/** A link by which a user sets a password. */
export type Invitation = {
  readonly id: string;
  /** SHA-256 of the token in the link, base64. */
  readonly token_hash: string;
  readonly user_id: string;
  readonly created_at: number;
  readonly expires_at: number;
};

/** How people get in, and what they are in with. */
export type SignInStore = {
  /** Null when there is no such user, or none that has a password. */
  passwordHash(userId: string): Promise<string | null>;
  /**
   * Sets the password and ends every session of the user but `keep`: browsers, session keys, and links that were
   * not used yet. False when there is no such user.
   */
  setPassword(userId: string, hash: string, keep: string | null, record: SerialisedRecord): Promise<boolean>;

  /** Newest first, those that have ended left out. */
  browsers(userId: string, now: number): Promise<BrowserSession[]>;
  /** The user has proved again, at `at`, who they are. False when they have no browser session of that id. */
  confirmBrowser(userId: string, id: string, at: number, record: SerialisedRecord): Promise<boolean>;
  /** False when the user has none of that id. */
  endBrowser(userId: string, id: string, record: SerialisedRecord): Promise<boolean>;

  /** Takes the place of the user's last link. */
  invite(invitation: Invitation, record: SerialisedRecord): Promise<void>;
  /** Whom the link is for; null when it is unknown, used, too old, or its user is disabled. */
  invited(tokenHash: string, now: number): Promise<User | null>;
  /** Uses the link up: sets the password as `setPassword` does. Of several at once one succeeds. */
  accept(tokenHash: string, now: number, hash: string, record: (user: User) => SerialisedRecord): Promise<User | null>;

  /** Clears out what has ended: links, browser sessions, and the library's own odds and ends. */
  sweep(now: number): Promise<void>;
};

/** Whom an OpenID provider means by a subject. `created_at` in Unix milliseconds. */
export type OidcIdentity = {
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  readonly created_at: number;
};

/** The only thing kept of what providers say: none of their tokens. */
export type OidcStore = {
  /** Disabled ones too. */
  linked(issuer: string, subject: string): Promise<User | null>;
  /** False when the subject, or the user at that issuer, is linked already. */
  link(identity: OidcIdentity, record: SerialisedRecord): Promise<boolean>;
  /** False when the user was not linked. */
  unlink(userId: string, record: SerialisedRecord): Promise<boolean>;
};
