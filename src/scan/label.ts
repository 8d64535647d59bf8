import { fold } from "./fold/normalize";

/** Makes what stands in for a redacted value. Equal values of a type have equal labels, whatever stands around them. */
export type Labels = (type: string, value: string) => string;

/** A keyed hash of the caller's own, of `HASH_BYTES` at least: without its key nobody can try values out. */
type ValueHash = (text: string) => Uint8Array;

/** Some 18 times as many as there are codes. */
const HASH_BYTES = 4;

/** Letters and digits that are not taken for each other (Crockford's base32). */
const CHARACTERS = "abcdefghjkmnpqrstvwxyz0123456789";
const LETTERS = CHARACTERS.length - 10;
/**
 * What each character may be: never two digits side by side, since a number is what detectors look for. 27 bits: of 1,000
 * values of a type two have the same label in one case of 500. More would let those who can send texts under the same
 * key tell for certain that they guessed a number.
 */
const CHOICES = [LETTERS, LETTERS, CHARACTERS.length, LETTERS, LETTERS, CHARACTERS.length];

/** `[pii.email:kd7fm0]`. */
export const labelsBy =
  (hash: ValueHash): Labels =>
  (type, value) =>
    `[${type}:${codeOf(hash(`${type}\n${normalized(type, value)}`))}]`;

const codeOf = (hash: Uint8Array): string => {
  let rest = 0;
  for (let at = 0; at < HASH_BYTES; at += 1) rest = (rest << 8) | (hash[at] ?? 0);
  rest >>>= 0;
  let code = "";
  for (const choices of CHOICES) {
    code += CHARACTERS.charAt(rest % choices);
    rest = (rest / choices) >>> 0;
  }
  return code;
};

/** What of a value tells it from others: of a number its digits and letters, whatever groups them. */
type Form = "compact" | "caseless" | "exact";

const COMPACT = (
  "pii.bank_account pii.company_id pii.credit_card pii.device_id pii.driver_license pii.health_id pii.iban " +
  "pii.mac_address pii.national_id pii.passport pii.phone pii.swift pii.tax_id pii.us_ssn pii.vehicle_id"
).split(" ");

/** The longest prefix of a type decides. Case tells secrets apart, and addresses that have a check sum in it. */
const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["pii", "caseless"],
  ["custom", "caseless"],
  ["pii.crypto_address", "exact"],
  ...COMPACT.map((type): [string, Form] => [type, "compact"]),
]);

const formOf = (type: string): Form => {
  for (let prefix = type; ; prefix = prefix.slice(0, prefix.lastIndexOf("."))) {
    const form = FORMS.get(prefix);
    if (form) return form;
    if (!prefix.includes(".")) return "exact";
  }
};

const OTHER = /[^\p{L}\p{N}]/gu;

const normalized = (type: string, value: string): string => {
  const form = formOf(type);
  if (form === "exact") return value;
  const text = fold(value).text.toLowerCase();
  return form === "compact" ? text.replace(OTHER, "") : text;
};
