import { GuardError } from "#core/errors";

const FORM = /^[^\s@<>"\\,;:]+@[^\s@<>"\\,;:]+$/;
const LONGEST = 254; // RFC 5321 §4.5.3.1.3

/** Trimmed. Throws `invalid_value` for what is no address. */
export const goodEmail = (text: string): string => {
  const address = text.trim();
  if (FORM.test(address) && address.length <= LONGEST) return address;
  throw new GuardError("invalid_value", "The email is not an e-mail address", { param: "email" });
};

/** The form in which addresses are compared: two spellings of one letter are one address. */
export const emailKey = (email: string): string => email.trim().normalize("NFC").toLowerCase();
