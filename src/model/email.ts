import { GuardError } from "#core/errors";

const FORM = /^[^\s@<>"\\,;:]+@[^\s@<>"\\,;:]+$/;
const MAX_LENGTH = 254; // RFC 5321 §4.5.3.1.3

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
  if (FORM.test(address) && address.length <= MAX_LENGTH && isPlainEmail(address)) return address;
  throw new GuardError("invalid_value", "The email must be an e-mail address", { param: "email" });
};

/** The form in which addresses are compared: two spellings of one letter are one address. */
export const emailKey = (email: string): string => email.trim().normalize("NFC").toLowerCase();
