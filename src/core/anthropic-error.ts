import { ERROR_CATALOGUE, type GuardError } from "#core/errors";

/*
 * Errors as Anthropic's API words them (docs.claude.com, API errors): clients decide by the type what to do, so every
 * code has one of theirs.
 */

const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
]);

export const anthropicErrorType = ({ code }: Pick<GuardError, "code">): string => {
  // Its clients try a rate limit again, and tell people of a bill.
  if (code === "insufficient_quota") return "billing_error";
  const { status } = ERROR_CATALOGUE[code];
  return BY_STATUS.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
};

export const anthropicErrorBody = (error: GuardError, requestId: string): Record<string, unknown> => ({
  type: "error",
  error: { type: anthropicErrorType(error), message: withPlace(error), ...error.extra },
  request_id: requestId,
});

/** The shape has no field for the place: Anthropic's own messages begin with it. */
const withPlace = ({ param, message }: GuardError): string =>
  param === undefined || message.includes(param) ? message : `${param}: ${message}`;

/** Where its clients look for the id of a request. */
export const REQUEST_ID = "request-id";
