import type { Finding } from "#scan/detector";

/** Personal data that is no number a state or register gave out. All other `pii.*` types are. */
const OTHER_PII = [
  "email",
  "phone",
  "credit_card",
  "iban",
  "bank_account",
  "swift",
  "crypto",
  "ip",
  "mac",
  "date_of_birth",
  "person",
  "name",
  "address",
  "location",
  "url",
  "age",
].map((name) => `pii.${name}`);

const within = (type: string, prefix: string): boolean =>
  type === prefix || type.startsWith(`${prefix}.`) || type.startsWith(`${prefix}_`);

const oneOf =
  (...prefixes: readonly string[]) =>
  ({ type }: Finding): boolean =>
    prefixes.some((prefix) => within(type, prefix));

export const isRegisterNumber = ({ type, category }: Finding): boolean =>
  category === "pii" && !OTHER_PII.some((other) => within(type, other));

/** Which findings answer which label of the data. A label that is not named here is no goal. */
const ANSWERS: Readonly<Record<string, (finding: Finding) => boolean>> = {
  EMAIL: oneOf("pii.email"),
  PHONE: oneOf("pii.phone"),
  CREDIT_CARD: oneOf("pii.credit_card"),
  IBAN: oneOf("pii.iban", "pii.bank_account"),
  IP_ADDRESS: oneOf("pii.ip"),
  MAC_ADDRESS: oneOf("pii.mac"),
  CRYPTO: oneOf("pii.crypto"),
  SWIFT: oneOf("pii.swift"),
  BANK_ACCOUNT: oneOf("pii.bank_account", "pii.iban"),
  US_SSN: oneOf("pii.us_ssn"),
  NATIONAL_ID: isRegisterNumber,
  TAX_ID: isRegisterNumber,
  PASSPORT: isRegisterNumber,
  DRIVER_LICENSE: isRegisterNumber,
  HEALTH_ID: isRegisterNumber,
  BUSINESS_ID: (finding) => isRegisterNumber(finding) || oneOf("pii.bank_account", "pii.iban")(finding),
  DATE_TIME: oneOf("pii.date_of_birth"),
  PERSON: oneOf("pii.person", "pii.name"),
  ADDRESS: oneOf("pii.address", "pii.location"),
  LOCATION: oneOf("pii.address", "pii.location"),
  SECRET: ({ category }) => category === "secret",
  INJECTION: ({ category }) => category === "injection",
};

/** Numbers that identify a person, as one group. */
export const GOVERNMENT_ID = ["NATIONAL_ID", "TAX_ID", "US_SSN", "PASSPORT", "DRIVER_LICENSE", "HEALTH_ID"];

/** A label may also name a flag type itself, or all below it. */
const isFlagType = (labelType: string): boolean => labelType === labelType.toLowerCase();

export const isGoal = (labelType: string): boolean => labelType in ANSWERS || isFlagType(labelType);

export const answers = (finding: Finding, labelType: string): boolean =>
  isFlagType(labelType) ? within(finding.type, labelType) : (ANSWERS[labelType]?.(finding) ?? false);
