/** RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2, OpenID Connect Core §3.1.2.6. */
const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  access_denied: 403,
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  temporarily_unavailable: 503,
  server_error: 500,
} as const;

export type OAuthErrorCode = keyof typeof STATUS;

/** What clients are told in the words of OAuth. `message` never repeats what they sent. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";

  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export const isOAuthErrorCode = (code: unknown): code is OAuthErrorCode =>
  typeof code === "string" && Object.hasOwn(STATUS, code);
