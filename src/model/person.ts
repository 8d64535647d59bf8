import { GuardError } from "#core/errors";
import { type Static, Type } from "#core/schema";

export const ROLES = ["admin", "reviewer", "analyst", "member", "auditor"] as const;
export const Role = Type.Union(ROLES.map((role) => Type.Literal(role)));
export type Role = (typeof ROLES)[number];

export const USER_STATES = ["active", "disabled"] as const;

/** Somebody who may sign in, own agents and hold tokens. Times are Unix milliseconds. */
export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  role: Role,
  /** Of a disabled one nothing opens anything: no token, no session, no grant. */
  state: Type.Union(USER_STATES.map((state) => Type.Literal(state))),
  created_at: Type.Integer(),
});
export type User = Static<typeof User>;

export const MAX_NAME_LENGTH = 100;

/** Trimmed, null when empty. Throws `invalid_value` for what no list could show. */
export const goodName = (name: string | null): string | null => {
  const trimmed = name?.trim() ?? "";
  if (trimmed.length > MAX_NAME_LENGTH) throw badName(`is longer than ${MAX_NAME_LENGTH} characters`);
  if (/\p{Cc}|\p{Cf}/u.test(trimmed)) throw badName("holds control characters");
  return trimmed === "" ? null : trimmed;
};

const badName = (problem: string): GuardError =>
  new GuardError("invalid_value", `The name ${problem}`, { param: "name" });

const EMAIL_FORM = /^[^\s@<>"\\,;:]+@[^\s@<>"\\,;:]+$/;
const MAX_EMAIL_LENGTH = 254; // RFC 5321 §4.5.3.1.3

const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether nothing in it is unseen, or stands for ASCII without being it: `K` (the sign for Kelvin) folds to `k`, and
 * mail systems disagree on whether that is another person's address.
 */
export const isPlainEmail = (address: string): boolean =>
  [...address].every(
    (it) => !UNSEEN.test(it) && (it <= "\x7f" || !/[\x00-\x7f]/.test(it.normalize("NFKC").toLowerCase())),
  );

/** Trimmed. Throws `invalid_value` for what is no address. */
export const goodEmail = (text: string): string => {
  const address = text.trim();
  if (EMAIL_FORM.test(address) && address.length <= MAX_EMAIL_LENGTH && isPlainEmail(address)) return address;
  throw new GuardError("invalid_value", "The email must be an e-mail address", { param: "email" });
};

/** The form in which addresses are compared: two spellings of one letter are one address. */
export const emailKey = (email: string): string => email.trim().normalize("NFC").toLowerCase();

const MIN_PASSWORD_LENGTH = 12;
/** Longer ones only cost us time. */
const MAX_PASSWORD_LENGTH = 256;

/** Throws `invalid_value` for a password nobody may have. It is never changed: a space is part of it. */
export const goodPassword = (password: string, param = "password"): string => {
  if (password.length < MIN_PASSWORD_LENGTH)
    throw badPassword(param, `needs at least ${MIN_PASSWORD_LENGTH} characters`);
  if (password.length > MAX_PASSWORD_LENGTH)
    throw badPassword(param, `is longer than ${MAX_PASSWORD_LENGTH} characters`);
  return password;
};

const badPassword = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${param} ${problem}`, { param });
