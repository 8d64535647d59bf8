import { Type } from "#core/schema";
import type { Webhook, WebhookDelivery } from "#core/webhook";
import { StoredShape, strings } from "./json-columns";
import { tables } from "./schema";

/* Webhooks and their deliveries as rows, and back. */

const { webhook, webhookDelivery } = tables;

export const columns = {
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  active: webhook.active,
  sealed_secrets: webhook.sealedSecrets,
  description: webhook.description,
  disabled_reason: webhook.disabledReason,
  created_by: webhook.createdBy,
  created_at: webhook.createdAt,
  failing_since: webhook.failingSince,
};

export const rowOf = (it: Webhook): typeof webhook.$inferInsert => ({
  id: it.id,
  url: it.url,
  events: it.events,
  active: it.active,
  sealedSecrets: it.sealed_secrets,
  description: it.description,
  disabledReason: it.disabled_reason,
  createdBy: it.created_by,
  createdAt: it.created_at,
  failingSince: it.failing_since,
});

type Raw = Omit<Webhook, "events" | "sealed_secrets"> & { readonly events: unknown; readonly sealed_secrets: unknown };

export const checked = ({ events, sealed_secrets: secrets, ...row }: Raw): Webhook => ({
  ...row,
  events: strings(events, `events of webhook ${row.id}`),
  sealed_secrets: strings(secrets, `secrets of webhook ${row.id}`),
});

export const deliveryColumns = {
  id: webhookDelivery.id,
  webhook_id: webhookDelivery.webhookId,
  event_id: webhookDelivery.eventId,
  type: webhookDelivery.type,
  payload: webhookDelivery.payload,
  state: webhookDelivery.state,
  attempts: webhookDelivery.attempts,
  next_at: webhookDelivery.nextAt,
  created_at: webhookDelivery.createdAt,
};

export const deliveryRow = (it: WebhookDelivery): typeof webhookDelivery.$inferInsert => ({
  id: it.id,
  webhookId: it.webhook_id,
  eventId: it.event_id,
  type: it.type,
  payload: it.payload,
  state: it.state,
  attempts: it.attempts,
  nextAt: it.next_at,
  createdAt: it.created_at,
});

const Attempts = Type.Array(
  Type.Object({
    at: Type.Integer(),
    status: Type.Union([Type.Integer(), Type.Null()]),
    error: Type.Union([Type.String(), Type.Null()]),
    ms: Type.Number(),
  }),
);

export class DeliveryReader {
  readonly #attempts = new StoredShape(Attempts);

  checked({ attempts, ...row }: Omit<WebhookDelivery, "attempts"> & { readonly attempts: unknown }): WebhookDelivery {
    return { ...row, attempts: this.#attempts.read(attempts, `attempts of delivery ${row.id}`) };
  }
}
