import { GuardError } from "#core/errors";
import { isPattern } from "#core/event";
import { type Static, Type } from "#core/schema";
import { orNull, pageSchema } from "#http/openapi/shapes";

const closed = { additionalProperties: false } as const;

const Url = Type.String({ minLength: 1, maxLength: 2_048, description: "An https URL." });
const Patterns = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  description: "Event types; report.* for all below, * for all there are.",
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
    active: Type.Optional(Type.Boolean({ description: "true switches one on again that the hub switched off." })),
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
        description: "Seconds the old secret signs on; a day if not said.",
      }),
    ),
  },
  { ...closed, $id: "WebhookRotation" },
);
export type Rotation = Static<typeof Rotation>;

export const ShownWebhook = Type.Object(
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
export type ShownWebhook = Static<typeof ShownWebhook>;

/** With the secret, which is shown this once. */
export const IssuedWebhook = Type.Object(
  { ...ShownWebhook.properties, secret: Type.String({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }) },
  { $id: "IssuedWebhook" },
);
export type IssuedWebhook = Static<typeof IssuedWebhook>;
export const WebhookPage = pageSchema(ShownWebhook);

export const RemovedWebhook = Type.Object(
  { id: Type.String(), deleted: Type.Literal(true) },
  { $id: "RemovedWebhook" },
);
export type RemovedWebhook = Static<typeof RemovedWebhook>;

export const ShownDelivery = Type.Object(
  {
    id: Type.String(),
    webhook_id: Type.String(),
    event_id: Type.String({ description: "The header webhook-id: the same for every attempt and replay." }),
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
export type ShownDelivery = Static<typeof ShownDelivery>;
export const DeliveryPage = pageSchema(ShownDelivery);

/** Each once. Throws `invalid_value` for what names no event: such a webhook would be silent for ever. */
export const knownPatterns = (patterns: readonly string[]): string[] => {
  const unknown = patterns.findIndex((pattern) => !isPattern(pattern));
  if (unknown < 0) return [...new Set(patterns)];
  const message = "This names no event. Say a type, as report.created, or report.* for all below it, or * for all.";
  throw new GuardError("invalid_value", message, { param: `events[${unknown}]` });
};
