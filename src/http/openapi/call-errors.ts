import type { ErrorCode } from "#core/errors";

/** What any call of a gateway token can end with, whatever it asks. */
export const CALL_ERRORS: readonly ErrorCode[] = [
  ...(["killed", "agent_suspended", "rate_limit_exceeded", "insufficient_quota"] as const),
  ...(["guard_unavailable", "insufficient_scope", "invalid_value", "client_closed"] as const),
];

/** What a repeated `Idempotency-Key` can be answered with. */
export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ["idempotency_mismatch", "idempotency_in_flight"];

/** What calls to a model or a tool can end with beside it. */
export const UPSTREAM_ERRORS: readonly ErrorCode[] = [
  ...(["content_filter", "upstream_error", "upstream_timeout"] as const),
  ...(["upstream_auth_failed", "upstream_rate_limited"] as const),
];
