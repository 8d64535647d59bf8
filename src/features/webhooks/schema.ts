import { GuardError } from "#core/errors";
import { PLAIN_URL } from "#core/ip-range";
import { parseJson } from "#core/json/json";
import { checkedLater, type Static, Type } from "#core/schema";
import { orNull, pageSchema } from "#http/openapi/schemas";
import { EVENT_PATTERNS, isPattern } from "#model/event";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import { timestamp } from "#platform/clock";

const closed = { additionalProperties: false } as const;

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: "An https URL.",
  ...checkedLater({ pattern: PLAIN_URL }),
});
const Pattern = Type.String({ minLength: 1, maxLength: 64, ...checkedLater({ enum: EVENT_PATTERNS }) });
const Patterns = Type.Array(Pattern, {
  minItems: 1,
  maxItems: 100,
  description: "Event types; report.* for a group, * for all.",
});
const Description = orNull(Type.String({ maxLength: 256 }));

export const NewWebhook = Type.Object(
  { url: Url, events: Patterns, description: Type.Optional(Description) },
  { ...closed, $id: "NewWebhook" },
);
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Patterns),
    description: Type.Optional(Description),
    active: Type.Optional(Type.Boolean({ description: "true re-enables a webhook the hub has disabled." })),
  },
  { ...closed, $id: "WebhookChange" },
);
export type WebhookChange = Static<typeof WebhookChange>;

export const Rotation = Type.Object(
  {
    grace: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: "Seconds the old secret stays valid; default one day.",
      }),
    ),
  },
  { ...closed, $id: "WebhookRotation" },
);
export type Rotation = Static<typeof Rotation>;

export const WebhookResponse = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    active: Type.Boolean(),
    description: orNull(Type.String()),
    disabled_reason: orNull(Type.String()),
    failing_since: orNull(Type.String()),
    created_by: orNull(Type.String()),
    created_at: Type.String(),
  },
  { $id: "Webhook" },
);
export type WebhookResponse = Static<typeof WebhookResponse>;

/** With the secret, which is shown this once. */
export const IssuedWebhook = Type.Object(
  { ...WebhookResponse.properties, secret: Type.String({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }) },
  { $id: "IssuedWebhook" },
);
export type IssuedWebhook = Static<typeof IssuedWebhook>;
export const WebhookPage = pageSchema(WebhookResponse);

export const RemovedWebhook = Type.Object(
  { id: Type.String(), deleted: Type.Literal(true) },
  { $id: "RemovedWebhook" },
);
export type RemovedWebhook = Static<typeof RemovedWebhook>;

export const DeliveryResponse = Type.Object(
  {
    id: Type.String(),
    webhook_id: Type.String(),
    event_id: Type.String({ description: "The webhook-id header: the same for all attempts and replays." }),
    type: Type.String(),
    payload: Type.Unknown(),
    state: Type.String({ examples: ["pending", "delivered", "failed"] }),
    attempts: Type.Array(
      Type.Object({
        at: Type.String(),
        status: orNull(Type.Integer()),
        error: orNull(Type.String()),
        ms: Type.Number(),
      }),
    ),
    next_at: orNull(Type.String()),
    created_at: Type.String(),
  },
  { $id: "WebhookDelivery" },
);
export type DeliveryResponse = Static<typeof DeliveryResponse>;
export const DeliveryPage = pageSchema(DeliveryResponse);

/** Each once. Throws `invalid_value` for what names no event: such a webhook would be silent for ever. */
export const knownPatterns = (patterns: readonly string[]): string[] => {
  const unknown = patterns.findIndex((pattern) => !isPattern(pattern));
  if (unknown < 0) return [...new Set(patterns)];
  const message = "This names no event. Say a type, as report.created, or report.* for all below it, or * for all.";
  throw new GuardError("invalid_value", message, { param: `events[${unknown}]` });
};

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

/** Never its secrets, nor their sealed form. */
export const webhookResponse = (it: Webhook): WebhookResponse => ({
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

export const deliveryResponse = (it: WebhookDelivery): DeliveryResponse => ({
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
