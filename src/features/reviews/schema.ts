import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import { REVIEW_STATES } from "#model/agent";
import { ProfileDifference } from "#policy/profile/diff";
import { ProfileBody } from "#policy/profile/profile";
import { DraftAnswers, SECTION_KEYS } from "#policy/review/questionnaire";
import { DECISIONS, TIERS } from "#policy/review/review";

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
      Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()], { description: "Reason, at most 4000 characters." }),
    ),
    content_hash: Type.String({ maxLength: 64, description: "content_hash of the answers that are decided on." }),
  },
  { ...closed, $id: "NewDecision" },
);
export type NewDecision = Static<typeof NewDecision>;

export const NewComment = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 4_000, description: "1 to 4000 characters." }),
    section: Type.Optional(
      Type.Union([oneOf(SECTION_KEYS, "The section."), Type.Null()], { description: "Section of the comment." }),
    ),
  },
  { ...closed, $id: "NewComment" },
);
export type NewComment = Static<typeof NewComment>;

/* What is shown of reviews. */

const Who = Type.String({ description: "E-mail address.", examples: ["eve@example.com"] });

export const ReviewSummary = Type.Object(
  {
    id: Id,
    agent_id: Id,
    agent: Type.String({ examples: ["support-bot"] }),
    owner: Who,
    number: Type.Integer({ description: "Sequence number, from 1 for the first review of the agent." }),
    status: oneOf(REVIEW_STATES),
    content_hash: orNull(Type.String({ description: "Hash of the submitted answers; approvals refer to it." })),
    tier: orNull(oneOf(TIERS)),
    points: orNull(Type.Integer()),
    material: Type.Boolean({ description: "The change affects identity or permissions of the agent." }),
    required: orNull(Type.Integer({ description: "Required approvals." })),
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
  description: "The nine sections, possibly incomplete.",
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
        raised: orNull(Type.String({ description: "Why the tier is above that of the points." })),
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
        alone: Type.Boolean({ description: "Decided by the only administrator, who was involved." }),
        counts: Type.Boolean({ description: "False once the answers have changed." }),
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
    moves: listOf(Type.String({ description: "Actions available to the current user.", examples: ["approve"] })),
    deciding: Type.Object({ allowed: Type.Boolean(), alone: Type.Boolean(), why: orNull(Type.String()) }),
    observed: Type.Object(
      { since: Moment, models: listOf(Used), tools: listOf(Used) },
      { description: "Observed use of the last seven days, and whether it is declared." },
    ),
  },
  { $id: "Review" },
);
export type WholeReview = Static<typeof WholeReview>;

/** What the answers of a review would put in force. */
export const CompiledPreview = Type.Object(
  {
    profile: ProfileBody,
    content_hash: Type.String({ description: "The profile has this hash once the review is approved." }),
    in_force: orNull(
      Type.Object(
        { version: Type.Integer(), content_hash: Type.String() },
        { description: "The profile in force; null without one." },
      ),
    ),
    changes: listOf(ProfileDifference),
  },
  { $id: "CompiledPreview" },
);
export type CompiledPreview = Static<typeof CompiledPreview>;
