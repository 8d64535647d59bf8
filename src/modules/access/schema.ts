import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;
const orNull = { description: "An id." } as const;
const Id = Type.Union([Type.String({ maxLength: 36 }), Type.Null()], orNull);

/** Longer is "for ever" said politely. */
export const MOST_DAYS = 3_650;

export const NewTokenBody = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
    agent_id: Type.Optional(Id),
    user_id: Type.Optional(Id),
    expires_in_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: MOST_DAYS }), Type.Null()], {
        description: `A whole number from 1 to ${MOST_DAYS}; without it, or expires_at, the token does not expire.`,
      }),
    ),
    expires_at: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: "A time to come, RFC 3339." }),
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
        description: "How long the old token works on, in hours; 24 if not said.",
      }),
    ),
  },
  { ...closed, $id: "TokenRotation" },
);
export type TokenRotation = Static<typeof TokenRotation>;
