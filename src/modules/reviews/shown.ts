import { DraftAnswers } from "#core/review/questionnaire";
import { DECISIONS, REVIEW_STATES, TIERS } from "#core/review/review";
import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/shapes";

/* What is shown of reviews. */

const Who = Type.String({ description: "E-mail address.", examples: ["eve@example.com"] });

export const ReviewSummary = Type.Object(
  {
    id: Id,
    agent_id: Id,
    agent: Type.String({ examples: ["support-bot"] }),
    owner: Who,
    number: Type.Integer({ description: "1 for the agent's first, and so on." }),
    status: oneOf(REVIEW_STATES),
    content_hash: orNull(Type.String({ description: "Of the answers as submitted. Approvals are of this hash." })),
    tier: orNull(oneOf(TIERS)),
    points: orNull(Type.Integer()),
    material: Type.Boolean({ description: "Something changed of what the agent is or may do." }),
    required: orNull(Type.Integer({ description: "Approvals needed." })),
    submitted_by: orNull(Who),
    submitted_at: orNull(Moment),
    created_at: Moment,
    updated_at: Moment,
    revision: Type.Integer(),
  },
  { $id: "ReviewSummary" },
);
export type ReviewSummary = Static<typeof ReviewSummary>;
export const ReviewPage = pageSchema(ReviewSummary);

const Used = Type.Object({ name: Type.String(), calls: Type.Integer(), declared: Type.Boolean() });

/** Of drafts and of what was submitted: closed by `core/review/answers.ts`, which says where something is wrong. */
const Answers = Type.Unsafe<DraftAnswers>({
  ...DraftAnswers,
  $id: "ReviewAnswers",
  description: "The nine sections, each as far as it goes.",
  examples: [{ purpose: { intended_use: "Answers customers.", audience: "customer" } }],
});

export const WholeReview = Type.Object(
  {
    ...ReviewSummary.properties,
    answers: Answers,
    risk: orNull(
      Type.Object({
        tier: oneOf(TIERS),
        points: Type.Integer({ minimum: 0, maximum: 20 }),
        parts: listOf(Type.Object({ name: Type.String(), answer: Type.String(), points: Type.Integer() })),
        raised: orNull(Type.String({ description: "Why the tier is above what the points say." })),
      }),
    ),
    changes: listOf(
      Type.Object({
        pointer: Type.String({ examples: ["/tools/tools"] }),
        before: Type.Optional(Type.Unknown()),
        after: Type.Optional(Type.Unknown()),
        material: Type.Boolean(),
      }),
    ),
    approvals: Type.Object({
      required: Type.Integer(),
      given: listOf(Who),
      needs_admin: Type.Boolean(),
      eligible: listOf(Who),
    }),
    decisions: listOf(
      Type.Object({
        id: Id,
        review_id: Id,
        by: Who,
        decision: oneOf(DECISIONS),
        comment: orNull(Type.String()),
        content_hash: Type.String(),
        alone: Type.Boolean({ description: "By a sole administrator on what they had a hand in." }),
        counts: Type.Boolean({ description: "False once the answers are others." }),
        at: Moment,
      }),
    ),
    comments: listOf(
      Type.Object({
        id: Id,
        review_id: Id,
        by: Who,
        section: orNull(Type.String({ examples: ["tools"] })),
        text: Type.String(),
        at: Moment,
      }),
    ),
    moves: listOf(Type.String({ description: "What the reader may do with it now.", examples: ["approve"] })),
    deciding: Type.Object({ allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) }),
    observed: Type.Object(
      { since: Moment, models: listOf(Used), tools: listOf(Used) },
      { description: "What the agent used in the last seven days, and whether the answers declare it." },
    ),
  },
  { $id: "Review" },
);
export type WholeReview = Static<typeof WholeReview>;
