/** One message of Standard Webhooks 1.0, as it goes out. */
export type WebhookMessage = {
  /** The same for every attempt, and for a message that is sent again. */
  readonly id: string;
  readonly body: string;
  /** `whsec_…`: each signs, the newest first. */
  readonly secrets: readonly string[];
};

/** A text for a witness of the audit log. Null where none answers. Never throws. */
export type WitnessPost = (
  url: string,
  body: string,
) => Promise<{ readonly status: number; readonly body: string } | null>;

/** What came of one attempt. `error` is one word of ours; null when the receiver answered with some status. */
export type WebhookAnswer = { readonly status: number | null; readonly error: WebhookError | null };

export type WebhookError = "forbidden_address" | "unreachable" | "timeout" | "redirect" | "broken";

/** One attempt; `signal` ends it. Never throws: what goes wrong is what the log of deliveries is for. */
export type WebhookSender = (url: string, message: WebhookMessage, signal: AbortSignal) => Promise<WebhookAnswer>;

/** Any request of JSON. Never throws. */
export type Post = (
  url: string,
  request: { readonly headers?: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<WebhookAnswer>;

/** What the hub answers itself at its public address. `error`: why it did not. */
export type HubAnswer = {
  readonly status: number | null;
  /** Its `x-request-id`. */
  readonly requestId: string | null;
  readonly text: string;
  readonly error: WebhookError | null;
};

/** Sends the hub a request of its own. Never throws. */
export type AskHub = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<HubAnswer>;

export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** `starttls`: encrypted after a greeting, or not at all sent; `tls`: from the beginning. */
  readonly security: "starttls" | "tls" | "none";
  /** Null where nobody signs in. */
  readonly login: { readonly username: string; readonly password: string } | null;
};

export type Mail = {
  /** Without angle brackets. */
  readonly id: string;
  readonly inReplyTo: string | null;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** What came of one mail. `status`: the server's reply code. */
export type MailAnswer = {
  readonly status: number | null;
  readonly error: WebhookError | "certificate" | "sign_in" | "not_encrypted" | "refused" | null;
};

/** One attempt; `signal` ends it. Never throws. */
export type MailSender = (server: MailServer, mail: Mail, signal: AbortSignal) => Promise<MailAnswer>;

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
