import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull, SuspensionResponse } from "#http/openapi/schemas";

const closed = { additionalProperties: false } as const;
const IdOrNull = Type.Union([Type.String({ maxLength: 36 }), Type.Null()], { description: "An id." });

/** A token that is to last longer has no end at all. */
export const MAX_DAYS = 3_650;

export const NewTokenBody = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
    agent_id: Type.Optional(IdOrNull),
    user_id: Type.Optional(IdOrNull),
    expires_in_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: MAX_DAYS }), Type.Null()], {
        description: `A whole number from 1 to ${MAX_DAYS}; without it, or expires_at, the token does not expire.`,
      }),
    ),
    expires_at: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: "A future time in RFC 3339." }),
    ),
  },
  { ...closed, $id: "NewToken" },
);
export type NewTokenBody = Static<typeof NewTokenBody>;

export const TokenRotation = Type.Object(
  {
    grace_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 720,
        description: "Hours the old token stays valid; default 24.",
      }),
    ),
  },
  { ...closed, $id: "TokenRotation" },
);
export type TokenRotation = Static<typeof TokenRotation>;

/*
 * Tokens as `/api/tokens` shows them: never the token itself but in the answer that made it.
 */

export const TokenStateSchema = oneOf(["active", "disabled", "expired", "revoked", "rotated"]);
export type TokenStateSchema = Static<typeof TokenStateSchema>;

export const TokenView = Type.Object(
  {
    object: Type.Literal("token"),
    id: Type.String(),
    name: orNull(Type.String()),
    display: Type.String({ description: "`gw-live-…k3Qz`." }),
    user: Type.Object({
      id: Type.String(),
      email: Type.String(),
    }),
    agent: orNull(
      Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
        },
        { description: "Agent of the token; null for a personal token." },
      ),
    ),
    state: TokenStateSchema,
    disabled: orNull(SuspensionResponse),
    /** What it opens. */
    scopes: listOf(Type.String()),
    created_at: Moment,
    expires_at: orNull(
      Type.String({
        format: "date-time",
        description: "Null for never. For a rotated token: end of its grace period.",
      }),
    ),
    last_used_at: orNull(Type.String({ format: "date-time", description: "To the minute; null for never." })),
    rotated_to: orNull(Type.String({ description: "Id of the replacing token." })),
  },
  { $id: "TokenView" },
);
export type TokenView = Static<typeof TokenView>;

/** With the token, which is shown this once. */
export const IssuedTokenView = Type.Composite(
  [
    TokenView,
    Type.Object({
      token: Type.String(),
    }),
  ],
  { $id: "IssuedTokenView" },
);
export type IssuedTokenView = Static<typeof IssuedTokenView>;

/** With the token that is replaced, and when that one ends. */
export const RotatedTokenView = Type.Composite(
  [
    IssuedTokenView,
    Type.Object({
      replaces: Type.Object({
        id: Type.String(),
        display: Type.String(),
        ends_at: Moment,
      }),
    }),
  ],
  { $id: "RotatedTokenView" },
);
export type RotatedTokenView = Static<typeof RotatedTokenView>;
