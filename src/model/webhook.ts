/** Where events are sent to. Payloads are thin: ids and a link, never content (Standard Webhooks 1.0). */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  /** Event types; `report.*` for all below. */
  readonly events: readonly string[];
  readonly active: boolean;
  /** Sealed signing secrets, the newest first: two while one is being rotated out. */
  readonly sealed_secrets: readonly string[];
  readonly description: string | null;
  /** Why the hub switched it off by itself; null when it did not. */
  readonly disabled_reason: string | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly failing_since: number | null;
};

export type WebhookDelivery = {
  readonly id: string;
  readonly webhook_id: string;
  /** The message's id: the same for every attempt. */
  readonly event_id: string;
  readonly type: string;
  /** The body as it is signed and sent. */
  readonly payload: string;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: readonly {
    readonly at: number;
    readonly status: number | null;
    readonly error: string | null;
    readonly ms: number;
  }[];
  readonly next_at: number | null;
  readonly created_at: number;
};
