import { parseJson } from "#core/json";
import type { Webhook, WebhookDelivery } from "#core/webhook";
import { timestamp } from "#platform/clock";
import type { ShownDelivery, ShownWebhook } from "./schema";

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

/** Never its secrets, nor their sealed form. */
export const shownWebhook = (it: Webhook): ShownWebhook => ({
  id: it.id,
  url: it.url,
  events: [...it.events],
  active: it.active,
  description: it.description,
  disabled_reason: it.disabled_reason,
  failing_since: timeOrNull(it.failing_since),
  created_by: it.created_by,
  created_at: timestamp(it.created_at),
});

export const shownDelivery = (it: WebhookDelivery): ShownDelivery => ({
  id: it.id,
  webhook_id: it.webhook_id,
  event_id: it.event_id,
  type: it.type,
  payload: parseJson(it.payload) ?? null,
  state: it.state,
  attempts: it.attempts.map(({ at, ...attempt }) => ({ at: timestamp(at), ...attempt })),
  next_at: timeOrNull(it.next_at),
  created_at: timestamp(it.created_at),
});
