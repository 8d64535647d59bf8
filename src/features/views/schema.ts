import { type Static, Type } from "#core/schema";
import { Moment, oneOf, orNull } from "#http/openapi/schemas";
import { VIEW_SCREENS } from "#model/saved-view";

const NAME_LENGTH = 80;
const QUERY_LENGTH = 2_000;

/** `PUT /api/views`. */
export const ViewBody = Type.Object(
  {
    screen: oneOf(VIEW_SCREENS),
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH, pattern: "^[^\\x00-\\x1f\\x7f]+$" }),
    query: Type.String({
      maxLength: QUERY_LENGTH,
      pattern: "^[!-~]*$",
      description: "As it stands behind the ? of the screen's address.",
    }),
    is_shared: Type.Boolean({ description: "For every user of the hub." }),
  },
  { additionalProperties: false, $id: "ViewBody" },
);
export type ViewBody = Static<typeof ViewBody>;

export const ViewResponse = Type.Object(
  {
    object: Type.Literal("view"),
    id: Type.String(),
    screen: oneOf(VIEW_SCREENS),
    name: Type.String(),
    query: Type.String(),
    is_shared: Type.Boolean(),
    is_own: Type.Boolean(),
    owner: orNull(Type.String({ description: "E-mail address, if known." })),
    created_at: Moment,
  },
  { $id: "SavedView" },
);
export type ViewResponse = Static<typeof ViewResponse>;
