import { GuardError } from "#core/errors";

const SHORTEST = 12;
/** Longer ones only cost us time. */
const LONGEST = 256;

/** Throws `invalid_value` for a password nobody may have. It is never changed: a space is part of it. */
export const goodPassword = (password: string, param = "password"): string => {
  if (password.length < SHORTEST) throw invalid(param, `needs at least ${SHORTEST} characters`);
  if (password.length > LONGEST) throw invalid(param, `is longer than ${LONGEST} characters`);
  return password;
};

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${param} ${problem}`, { param });
