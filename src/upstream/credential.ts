/** A request as it is to be authenticated. */
export type OutgoingRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
};

/** What authenticates the hub at one provider. */
export type Credential = {
  /** The request's headers, with what authenticates it. Throws `CredentialFailure`, and the signal's reason. */
  authorize(request: OutgoingRequest, signal: AbortSignal): Headers | Promise<Headers>;
  /** The provider refused what it was sent. True when there is something else to send now. */
  renew(signal: AbortSignal): Promise<boolean>;
  /** What must be in no answer that is passed on: some providers repeat what they were sent. */
  secrets(): readonly string[];
};

/** There is nothing to authenticate with. The message is for operators: it quotes no issuer and holds no secret. */
export class CredentialFailure extends Error {
  override readonly name = "CredentialFailure";
}

/** The values of this process's environment that name where credentials of its machine are. */
export type CredentialEnvironment = Readonly<Record<string, string | undefined>>;
