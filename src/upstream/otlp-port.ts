/** One export, as it goes out. */
export type OtlpRequest = {
  readonly url: string;
  readonly contentType: string;
  /** Beside what every export has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | string;
};

/** What came of it. `status` is null where no answer came; `cause` is a word of the hub's own then. */
export type OtlpAnswer = {
  readonly status: number | null;
  readonly cause: "unreachable" | "timeout" | "broken" | null;
  /** The answer's body where it was taken, as far as it is read. */
  readonly body: Uint8Array;
  /** How long the collector asks to wait before it is sent more, in milliseconds; null for no word of it. */
  readonly retryAfterMs: number | null;
};

/** Sends one export; `signal` ends it. Never throws. */
export type OtlpSender = (request: OtlpRequest, signal: AbortSignal) => Promise<OtlpAnswer>;
