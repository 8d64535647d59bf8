import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/schemas";

export const SHOWN_STATES = ["waiting", "approved", "denied", "released", "used", "expired"] as const;

/** A held call as people are shown it. */
export const HoldResponse = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    user_id: Type.String(),
    tool: Type.String(),
    call_hash: Type.String({
      description: "SHA-256 of tool, arguments and, at the gateway, definition: the decision covers exactly this call.",
    }),
    cause: Type.String({ description: "Reason of the hold." }),
    layer: Type.String({ description: "Source: a profile version or a restriction." }),
    event_id: Type.String(),
    state: oneOf(
      SHOWN_STATES,
      "`released`: let through in an answer; the same call at the tool gateway uses it until `expires_at`.",
    ),
    created_at: Type.String(),
    expires_at: Type.String(),
    decided_by: orNull(Type.String()),
    decided_at: orNull(Type.String()),
  },
  { $id: "Hold" },
);
export type HoldResponse = Static<typeof HoldResponse>;
export const HoldPage = pageSchema(HoldResponse);

/** With what the tool would be given, for who may decide; null for everybody else. */
export const OpenedHold = Type.Composite(
  [
    HoldResponse,
    Type.Object({
      arguments: Type.Unknown(),
      agent: Type.String({ description: "Name." }),
      asked_by: Type.String({ description: "E-mail address of the user the agent acts for." }),
      risk_tier: orNull(Type.String({ description: "Tier of the profile in force." })),
      may_decide: Type.Boolean(),
    }),
  ],
  {
    $id: "OpenedHold",
  },
);
export type OpenedHold = Static<typeof OpenedHold>;

export const HoldDecision = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: "Reason." })) },
  { additionalProperties: false, $id: "HoldDecision" },
);
