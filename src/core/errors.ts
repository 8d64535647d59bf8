/**
 * Every failure a caller can see. Adding a code here is adding it to the public API.
 * `retry: false` makes the answer carry `x-should-retry: false`, because SDKs retry 409, 429 and 5xx by themselves.
 */
export const ERROR_CATALOGUE = {
  invalid_api_key: { status: 401, type: "invalid_request_error", retry: false },
  /** One answer for a wrong password and for an address nobody has. */
  sign_in_failed: { status: 401, type: "invalid_request_error", retry: false },
  /** Creating credentials takes a session whose holder has authenticated a short while ago. */
  fresh_session_required: { status: 403, type: "permission_error", retry: false },
  /** The operator has people sign in by the OpenID provider only. */
  password_sign_in_off: { status: 403, type: "permission_error", retry: false },
  insufficient_scope: { status: 403, type: "permission_error", retry: false },
  agent_suspended: { status: 403, type: "permission_error", retry: false },
  /** A kill switch is on. */
  killed: { status: 403, type: "permission_error", retry: false },
  model_not_allowed: { status: 403, type: "invalid_request_error", retry: false },
  model_not_found: { status: 404, type: "invalid_request_error", retry: false },
  tool_not_allowed: { status: 400, type: "invalid_request_error", retry: false },
  parameter_not_allowed: { status: 400, type: "invalid_request_error", retry: false },
  invalid_json: { status: 400, type: "invalid_request_error", retry: false },
  invalid_value: { status: 400, type: "invalid_request_error", retry: false },
  tool_not_found: { status: 404, type: "invalid_request_error", retry: false },
  invalid_host: { status: 400, type: "invalid_request_error", retry: false },
  origin_not_allowed: { status: 403, type: "permission_error", retry: false },
  /** What the change was made against has moved on meanwhile. */
  stale_base: { status: 409, type: "conflict_error", retry: false },
  /** It is not in the state this needs. */
  state_conflict: { status: 409, type: "conflict_error", retry: false },
  approval_required: { status: 409, type: "conflict_error", retry: false },
  /** Nobody who may decide is left once those with a hand in it are taken away. */
  no_eligible_approver: { status: 409, type: "conflict_error", retry: false },
  already_exists: { status: 409, type: "conflict_error", retry: false },
  request_too_large: { status: 413, type: "invalid_request_error", retry: false },
  /** More reports than a user may send in an hour. */
  report_limit_exceeded: { status: 429, type: "rate_limit_error", retry: false },
  /** The event was neither a block nor a redaction. */
  not_disputable: { status: 409, type: "conflict_error", retry: false },
  /** The content sent is not of the event. */
  content_mismatch: { status: 400, type: "invalid_request_error", retry: false },
  idempotency_mismatch: { status: 422, type: "invalid_request_error", retry: false },
  idempotency_in_flight: { status: 409, type: "conflict_error", retry: false },
  /** What the hub's floor forbids, nobody can loosen. */
  below_floor: { status: 403, type: "permission_error", retry: false },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error", retry: true },
  /** A day's budget is spent: trying again soon is of no use. */
  insufficient_quota: { status: 429, type: "insufficient_quota", retry: false },
  content_filter: { status: 400, type: "invalid_request_error", retry: false },
  not_found: { status: 404, type: "invalid_request_error", retry: false },
  unknown_url: { status: 404, type: "invalid_request_error", retry: false },
  method_not_allowed: { status: 405, type: "invalid_request_error", retry: false },
  /** Clients that try a WebSocket first take 426 for "use HTTP", and ask again after any other answer. */
  websocket_not_offered: { status: 426, type: "invalid_request_error", retry: false },
  /** A link that was used, is too old, or never was. */
  link_invalid: { status: 410, type: "invalid_request_error", retry: false },
  endpoint_removed: { status: 404, type: "invalid_request_error", retry: false },
  audit_unavailable: { status: 503, type: "server_error", retry: true },
  guard_unavailable: { status: 503, type: "server_error", retry: true },
  /** The configuration is in a database that does not answer: nothing can be changed, and what is known is served. */
  database_unavailable: { status: 503, type: "server_error", retry: true },
  /** On a public address nothing is served before there is an administrator. */
  setup_required: { status: 503, type: "server_error", retry: false },
  /** Seen by nobody: how a call ends in the record when its client went away (nginx's 499). */
  client_closed: { status: 499, type: "invalid_request_error", retry: false },
  shutting_down: { status: 503, type: "server_error", retry: true },
  internal_error: { status: 500, type: "server_error", retry: false },
  upstream_auth_failed: { status: 502, type: "upstream_error", retry: false },
  upstream_rate_limited: { status: 429, type: "upstream_error", retry: false },
  upstream_error: { status: 502, type: "upstream_error", retry: false },
  upstream_timeout: { status: 504, type: "upstream_error", retry: false },
} as const satisfies Record<string, { status: number; type: string; retry: boolean }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export type ErrorOptions = {
  /** JSON path of the part of the request that is meant, e.g. `messages[3].content`. */
  param?: string | undefined;
  /** Fields beside message, type, param and code in the error object: `event_id`, `guard`. */
  extra?: Readonly<Record<string, unknown>> | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** For the log only. */
  cause?: unknown;
};

/** The one error thrown on purpose. `message` goes to the caller, so it never holds content or secrets. */
export class GuardError extends Error {
  override readonly name = "GuardError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.param = options.param;
    this.extra = options.extra;
    this.headers = options.headers;
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** The body of every error under `/v1` and `/api`, and of the error event inside a stream. */
export type ErrorBody = {
  error: { message: string; type: string; param: string | null; code: string; [extra: string]: unknown };
};

export const errorBody = (error: GuardError): ErrorBody => ({
  error: {
    message: error.message,
    type: ERROR_CATALOGUE[error.code].type,
    param: error.param ?? null,
    code: error.code,
    ...error.extra,
  },
});
