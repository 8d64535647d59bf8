import type { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { ModelApiName } from "#model/model-api";
import type { BreakerReading, ModelAliases } from "#model/provider";
import type { TraceHeaders } from "#model/trace-context";

/** One provider as the hot path knows it. */
export type Provider = {
  readonly name: string;
  /** Globs of the model names it serves. */
  readonly models: readonly string[];
  readonly priority: number;
  /** What it speaks; a call goes only to providers that speak its API. */
  readonly apis: ReadonlySet<ModelApiName>;
  readonly upstream: ModelUpstream;
  /** Model names of callers that it has another name for. */
  readonly aliases?: ModelAliases;
  /** Whether its credential works; without one it is always asked in its turn. */
  readonly breaker?: ProviderBreaker;
};

export type ProviderBreaker = {
  /** True where the provider may be asked before others. While it is tried again, one call alone is told so. */
  admits(): boolean;
  read(): BreakerReading;
};

/** One try at a provider, and how it can be cut short. */
export type Attempt = {
  /** Aborts when the client is gone, the call's time is up, or this attempt has been given up. */
  readonly signal: AbortSignal;
  /** Gives the attempt up unless `unlimit` is called within so many milliseconds (and a tick). */
  limit(ms: number): void;
  unlimit(): void;
  giveUp(): void;
  /** True when the limit gave it up. */
  readonly timedOut: boolean;
  /** True when the call itself is over: no further attempt makes sense. */
  readonly isOver: boolean;
};

export type UpstreamMethod = "GET" | "POST" | "DELETE";

export type UpstreamCall = {
  readonly api: ModelApiName;
  /** `POST` if not said. Only what is posted has a body. */
  readonly method?: UpstreamMethod;
  /** Below the provider's base URL, with a slash before it. */
  readonly path: string;
  /** The serialised request: what goes over the wire, nothing else of the client's request does but `headers`. */
  readonly body: string;
  /** What `body` says, for providers that take it in another form. Not to be changed: the next provider is given it, too. */
  readonly request: Readonly<JsonRecord>;
  /** What of the client's headers its API passes on, by lower-case name; empty for most. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly stream: boolean;
  readonly attempt: Attempt;
  /** The trace it is told of; null for none. */
  readonly trace?: TraceHeaders | null;
};

/**
 * What a provider answered. `whole` is a JSON text, `stream` an event stream that must be read or cancelled.
 * `refused` carries the provider's own 4xx about the request; every other failure is a thrown `UpstreamFailure`.
 */
export type UpstreamAnswer =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "stream"; readonly body: ReadableStream<Uint8Array> }
  | ({ readonly kind: "refused" } & ProviderWords);

export type ModelUpstream = {
  /** Throws `UpstreamFailure`, or the signal's reason when the call is over. */
  call(call: UpstreamCall): Promise<UpstreamAnswer>;
  /** The names the provider lists at `/models`; throws `UpstreamFailure`. */
  models(signal: AbortSignal): Promise<readonly string[]>;
};

/** An error answer in a provider's own words. */
export type ProviderWords = { readonly status: number; readonly text: string };

/** A call that failed before its first byte. `retryable` says whether another try or provider may do better. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";

  constructor(
    readonly error: GuardError,
    readonly retryable: boolean,
    /** How long the provider asked us to wait, in milliseconds. */
    readonly retryAfterMs: number | null = null,
    /** What the provider said of its own failure, where it said something: for APIs whose clients act on the words. */
    readonly said: ProviderWords | null = null,
  ) {
    super(error.message);
  }
}

/** What a provider says when it is asked for its models, and by each API. `status` is of the first of these. */
export type ProviderCheck = {
  readonly ok: boolean;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly models: readonly string[];
  readonly problem: string | null;
  readonly ms: number;
  readonly apis: readonly ApiCheck[];
};

/** What a provider says to an empty request by one API. */
export type ApiCheck = {
  readonly api: ModelApiName;
  readonly ok: boolean;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly problem: string | null;
};

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
