import { type Static, Type } from "#core/schema";
import { ShownHalt } from "#http/halt";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

/*
 * Tokens as `/api/tokens` shows them: never the token itself but in the answer that made it.
 */

export const TokenState = oneOf(["active", "disabled", "expired", "revoked", "rotated"]);
export type TokenState = Static<typeof TokenState>;

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
        { description: "The agent it speaks for; null for a person's own." },
      ),
    ),
    state: TokenState,
    disabled: orNull(ShownHalt),
    /** What it opens. */
    scopes: listOf(Type.String()),
    created_at: Moment,
    expires_at: orNull(
      Type.String({ format: "date-time", description: "Null for never. Of a rotated one: when its grace ends." }),
    ),
    last_used_at: orNull(Type.String({ format: "date-time", description: "To the minute; null for never." })),
    rotated_to: orNull(Type.String({ description: "The id of the token that took its place." })),
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
