import type { User } from "#model/person";
import type { SerialisedRecord } from "./record";

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
