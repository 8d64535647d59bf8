import type { GuardError } from "#core/errors";

/** One provider as the hot path knows it. */
export type Provider = {
  readonly name: string;
  /** Globs of the model names it serves. */
  readonly models: readonly string[];
  readonly priority: number;
  readonly upstream: ChatUpstream;
};

/** One try at a provider, and how it can be cut short. */
export type Attempt = {
  /** Aborts when the client is gone, the call's time is up, or this attempt has been given up. */
  readonly signal: AbortSignal;
  /** Gives the attempt up unless `unlimit` is called within so many milliseconds (and a beat of the hub's heart). */
  limit(ms: number): void;
  unlimit(): void;
  giveUp(): void;
  /** True when the limit gave it up. */
  readonly timedOut: boolean;
  /** True when the call itself is over: no further attempt makes sense. */
  readonly isOver: boolean;
};

export type UpstreamCall = {
  /** The serialised request: what goes over the wire, nothing else of the client's request does. */
  readonly body: string;
  readonly model: string;
  readonly stream: boolean;
  readonly attempt: Attempt;
};

/**
 * What a provider answered. `whole` is a JSON text, `stream` an event stream that must be read or cancelled.
 * `refused` carries the provider's own 4xx about the request; every other failure is a thrown `UpstreamFailure`.
 */
export type UpstreamAnswer =
  | { readonly kind: "whole"; readonly text: string }
  | { readonly kind: "stream"; readonly body: ReadableStream<Uint8Array> }
  | { readonly kind: "refused"; readonly status: number; readonly text: string };

export type ChatUpstream = {
  /** Throws `UpstreamFailure`, or the signal's reason when the call is over. */
  chat(call: UpstreamCall): Promise<UpstreamAnswer>;
  /** The names the provider lists at `/models`; throws `UpstreamFailure`. */
  models(signal: AbortSignal): Promise<readonly string[]>;
};

/** A call that failed before its first byte. `retryable` says whether another try or provider may do better. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";

  constructor(
    readonly error: GuardError,
    readonly retryable: boolean,
    /** How long the provider asked us to wait, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(error.message);
  }
}

/** What a provider says when it is asked for its models. */
export type ProviderCheck = {
  readonly ok: boolean;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly models: readonly string[];
  readonly problem: string | null;
  readonly ms: number;
};
