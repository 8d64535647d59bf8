import { SECTION_KEYS } from "#core/review/questionnaire";
import { DECISIONS } from "#core/review/review";
import { type Static, Type } from "#core/schema";
import { oneOf } from "#http/openapi/shapes";

const closed = { additionalProperties: false } as const;
/** Checked section by section by `core/review/answers.ts`, which says where in them something is wrong. */
const answers = Type.Optional(Type.Unknown());

export const NewReview = Type.Object(
  { answers, submit: Type.Optional(Type.Boolean({ description: "true submits at once." })) },
  { ...closed, $id: "NewReview" },
);

export const ReviewChange = Type.Object({ answers: Type.Unknown() }, { ...closed, $id: "ReviewChange" });

export const NewDecision = Type.Object(
  {
    decision: oneOf(DECISIONS, "What is decided."),
    comment: Type.Optional(
      Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()], { description: "Why: at most 4000 characters." }),
    ),
    content_hash: Type.String({ maxLength: 64, description: "content_hash of the answers that were read." }),
  },
  { ...closed, $id: "NewDecision" },
);
export type NewDecision = Static<typeof NewDecision>;

export const NewComment = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 4_000, description: "1 to 4000 characters." }),
    section: Type.Optional(
      Type.Union([oneOf(SECTION_KEYS, "The section."), Type.Null()], { description: "The section it is about." }),
    ),
  },
  { ...closed, $id: "NewComment" },
);
export type NewComment = Static<typeof NewComment>;
