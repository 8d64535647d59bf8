import { type Static, Type } from "#core/schema";
import { oneOf, orNull, pageSchema } from "#http/openapi/shapes";

export const SHOWN_STATES = ["waiting", "approved", "denied", "used", "expired"] as const;

/** A held call as people are shown it. */
export const ShownHold = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    user_id: Type.String(),
    tool: Type.String(),
    call_hash: Type.String({ description: "SHA-256 of tool and arguments: what is decided on is this call only." }),
    cause: Type.String({ description: "Why it is held." }),
    layer: Type.String({ description: "Who says so: a profile's version or a restriction." }),
    event_id: Type.String(),
    state: oneOf(SHOWN_STATES),
    created_at: Type.String(),
    expires_at: Type.String(),
    decided_by: orNull(Type.String()),
    decided_at: orNull(Type.String()),
  },
  { $id: "Hold" },
);
export type ShownHold = Static<typeof ShownHold>;
export const HoldPage = pageSchema(ShownHold);

/** With what the tool would be given, for who may decide; null for everybody else. */
export const OpenedHold = Type.Composite(
  [
    ShownHold,
    Type.Object({
      arguments: Type.Unknown(),
      agent: Type.String({ description: "Its name." }),
      asked_by: Type.String({ description: "The e-mail address of whom the agent asks for." }),
      risk_tier: orNull(Type.String({ description: "Of the profile in force." })),
      may_decide: Type.Boolean(),
    }),
  ],
  {
    $id: "OpenedHold",
  },
);
export type OpenedHold = Static<typeof OpenedHold>;

export const HoldDecision = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: "Why, in some words." })) },
  { additionalProperties: false, $id: "HoldDecision" },
);
