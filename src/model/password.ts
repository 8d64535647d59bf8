import { GuardError } from "#core/errors";

const MIN_LENGTH = 12;
/** Longer ones only cost us time. */
const MAX_LENGTH = 256;

/** Throws `invalid_value` for a password nobody may have. It is never changed: a space is part of it. */
export const goodPassword = (password: string, param = "password"): string => {
  if (password.length < MIN_LENGTH) throw invalid(param, `needs at least ${MIN_LENGTH} characters`);
  if (password.length > MAX_LENGTH) throw invalid(param, `is longer than ${MAX_LENGTH} characters`);
  return password;
};

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${param} ${problem}`, { param });
