/** One message of Standard Webhooks 1.0, as it goes out. */
export type WebhookMessage = {
  /** The same for every attempt, and for a message that is sent again. */
  readonly id: string;
  readonly body: string;
  /** `whsec_…`: each signs, the newest first. */
  readonly secrets: readonly string[];
};

/** What came of one attempt. `error` is one word of ours; null when the receiver answered with some status. */
export type WebhookAnswer = { readonly status: number | null; readonly error: WebhookError | null };

export type WebhookError = "forbidden_address" | "unreachable" | "timeout" | "redirect" | "broken";

/** One attempt; `signal` ends it. Never throws: what goes wrong is what the log of deliveries is for. */
export type WebhookSender = (url: string, message: WebhookMessage, signal: AbortSignal) => Promise<WebhookAnswer>;

/** Why there is no document. Nothing of an answer is in it. */
export type NoDocument =
  | "forbidden_address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "status"
  | "type"
  | "too_large"
  | "not_json"
  | "broken";

export type DocumentAnswer =
  | { readonly kind: "document"; readonly document: unknown }
  | { readonly kind: "none"; readonly why: NoDocument };

/** Fetches what stands at an https address that a stranger gave. Never throws. */
export type DocumentFetch = (url: string) => Promise<DocumentAnswer>;
