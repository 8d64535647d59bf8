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

/** The flag type, or category, that a label of the data names; its recall is counted there. */
const NAMES: Readonly<Record<string, string>> = {
  EMAIL: "pii.email",
  PHONE: "pii.phone",
  CREDIT_CARD: "pii.credit_card",
  IBAN: "pii.iban",
  IP_ADDRESS: "pii.ip",
  MAC_ADDRESS: "pii.mac_address",
  CRYPTO: "pii.crypto_address",
  SWIFT: "pii.swift",
  BANK_ACCOUNT: "pii.bank_account",
  US_SSN: "pii.us_ssn",
  NATIONAL_ID: "pii.national_id",
  TAX_ID: "pii.tax_id",
  PASSPORT: "pii.passport",
  DRIVER_LICENSE: "pii.driver_license",
  HEALTH_ID: "pii.health_id",
  BUSINESS_ID: "pii.company_id",
  DATE_TIME: "pii.date_of_birth",
  PERSON: "pii.name",
  ADDRESS: "pii.address",
  SECRET: "secret",
  INJECTION: "injection",
};

export const typeNamedBy = (labelType: string): string | undefined =>
  isFlagType(labelType) ? labelType : NAMES[labelType];

/** Numbers that identify a person, as one group. */
export const GOVERNMENT_ID = ["NATIONAL_ID", "TAX_ID", "US_SSN", "PASSPORT", "DRIVER_LICENSE", "HEALTH_ID"];

/** A label may also name a flag type itself, or all below it. */
const isFlagType = (labelType: string): boolean => labelType === labelType.toLowerCase();

export const isGoal = (labelType: string): boolean => labelType in ANSWERS || isFlagType(labelType);

export const answers = (finding: Finding, labelType: string): boolean =>
  isFlagType(labelType) ? within(finding.type, labelType) : (ANSWERS[labelType]?.(finding) ?? false);
