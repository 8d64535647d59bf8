import { type Static, Type } from "#core/schema";
import { ACTIONS, ORIGINS } from "#scan/detector";

/* What people and callers send of a change. What is answered is in `features/tuning/schema.ts`. */

const closed = { additionalProperties: false } as const;
const STRICTER = ["flag", "redact", "block"] as const;
const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    description === undefined ? {} : { description },
  );
const score = Type.Number({ minimum: 0, maximum: 1, description: "A score from 0 to 1." });

/** The longest value an exception can be about, in UTF-16 units. */
const MAX_VALUE_LENGTH = 65_536;
/** Of a keyed hash callers see this much: enough to tell values apart, too little to try texts against. */
export const SHOWN_HASH = 8;

/** `text` becomes a keyed hash at once. `hash`, as it was shown, keeps the value that is there. */
export const GivenValue = Type.Object(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH, description: "The value itself." })),
    hash: Type.Optional(
      Type.String({ pattern: `^[0-9a-f]{${SHOWN_HASH}}$`, description: "As shown in the suggestion." }),
    ),
    of: oneOf(["match", "text"], "The match, or the whole text it stands in."),
  },
  closed,
);
export type GivenValue = Static<typeof GivenValue>;

export const GivenMatch = Type.Object(
  {
    types: Type.Optional(
      Type.Array(Type.String({ pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$", maxLength: 100 }), {
        maxItems: 20,
        description: "At most 20 finding types; a prefix includes all types below it.",
      }),
    ),
    origins: Type.Optional(
      Type.Array(oneOf(ORIGINS), { minItems: 1, maxItems: ORIGINS.length, description: "Default: all." }),
    ),
    context: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Location of the text: messages[*].content." }),
    ),
    value: Type.Optional(GivenValue),
    pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: "RE2 syntax." })),
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 64 }), { minItems: 1, maxItems: 50, description: "1 to 50." }),
    ),
  },
  closed,
);
export type GivenMatch = Static<typeof GivenMatch>;

export const GivenChange = Type.Union(
  [
    Type.Object({ op: Type.Literal("allow") }, closed),
    Type.Object(
      {
        op: Type.Literal("threshold"),
        action: oneOf(STRICTER),
        from: Type.Optional(Type.Union([score, Type.Null()])),
        to: score,
      },
      closed,
    ),
    Type.Object({ op: Type.Literal("action"), from: oneOf(ACTIONS), to: oneOf(ACTIONS) }, closed),
    Type.Object({ op: Type.Literal("detect"), action: oneOf(STRICTER) }, closed),
  ],
  {
    description:
      "{op: allow}, {op: threshold, action, to}, {op: action, from, to} or {op: detect, action}; scores are 0 to 1.",
  },
);
export type GivenChange = Static<typeof GivenChange>;
