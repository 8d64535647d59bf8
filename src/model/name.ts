import { GuardError } from "#core/errors";

const MAX_NAME_LENGTH = 100;

/** Trimmed, null when empty. Throws `invalid_value` for what no list could show. */
export const goodName = (name: string | null): string | null => {
  const trimmed = name?.trim() ?? "";
  if (trimmed.length > MAX_NAME_LENGTH) throw invalid(`is longer than ${MAX_NAME_LENGTH} characters`);
  if (/\p{Cc}|\p{Cf}/u.test(trimmed)) throw invalid("holds control characters");
  return trimmed === "" ? null : trimmed;
};

const invalid = (problem: string): GuardError =>
  new GuardError("invalid_value", `The name ${problem}`, { param: "name" });
