import { Answers, DraftAnswers } from "#core/review/questionnaire";
import { type Decision, type Review, type ReviewState, TIERS } from "#core/review/review";
import { Type } from "#core/schema";
import { damaged, StoredShape, strings } from "./json-columns";
import { tables } from "./schema";

/* Reviews as rows, and back. */

const { review, reviewComment, reviewDecision } = tables;

export const columns = {
  id: review.id,
  agent_id: review.agentId,
  number: review.number,
  status: review.status,
  answers: review.answers,
  content_hash: review.contentHash,
  risk: review.risk,
  changes: review.changes,
  submitted_by: review.submittedBy,
  submitted_at: review.submittedAt,
  required: review.required,
  eligible: review.eligible,
  created_at: review.createdAt,
  updated_at: review.updatedAt,
  revision: review.revision,
};

export const decisionColumns = {
  id: reviewDecision.id,
  review_id: reviewDecision.reviewId,
  by: reviewDecision.by,
  decision: reviewDecision.decision,
  comment: reviewDecision.comment,
  content_hash: reviewDecision.contentHash,
  alone: reviewDecision.alone,
  at: reviewDecision.at,
};

export const commentColumns = {
  id: reviewComment.id,
  review_id: reviewComment.reviewId,
  by: reviewComment.by,
  section: reviewComment.section,
  text: reviewComment.text,
  at: reviewComment.at,
};

export const rowOf = (it: Review): typeof review.$inferInsert => ({
  id: it.id,
  agentId: it.agent_id,
  number: it.number,
  status: it.status,
  answers: it.answers,
  contentHash: it.content_hash,
  risk: it.risk,
  changes: it.changes,
  submittedBy: it.submitted_by,
  submittedAt: it.submitted_at,
  required: it.required,
  eligible: it.eligible,
  createdAt: it.created_at,
  updatedAt: it.updated_at,
  revision: it.revision,
});

export const decisionRow = (it: Decision): typeof reviewDecision.$inferInsert => ({
  id: it.id,
  reviewId: it.review_id,
  by: it.by,
  decision: it.decision,
  comment: it.comment,
  contentHash: it.content_hash,
  alone: it.alone,
  at: it.at,
});

const Risk = Type.Object({
  tier: Type.Union(TIERS.map((tier) => Type.Literal(tier))),
  points: Type.Number(),
  parts: Type.Array(Type.Object({ name: Type.String(), answer: Type.String(), points: Type.Number() })),
  raised: Type.Union([Type.String(), Type.Null()]),
});
const Changes = Type.Array(Type.Object({ pointer: Type.String(), material: Type.Boolean() }));

/** States in which people rely on the answers' being whole. */
const FROZEN: ReadonlySet<ReviewState> = new Set(["submitted", "in_review", "approved", "rejected"]);

type Json = "answers" | "risk" | "changes" | "eligible";
type Raw = Omit<Review, Json> & { readonly [K in Json]: unknown };

/** Checks what stands in the JSON columns of a review. */
export class ReviewReader {
  readonly #whole = new StoredShape(Answers);
  readonly #draft = new StoredShape(DraftAnswers);
  readonly #risk = new StoredShape(Risk);
  readonly #changes = new StoredShape(Changes);

  checked({ answers, risk, changes, eligible, ...row }: Raw): Review {
    if (!this.#areAnswers(answers, row.status)) throw damaged(`answers of review ${row.id}`);
    return {
      ...row,
      answers,
      risk: risk === null ? null : this.#risk.read(risk, `risk of review ${row.id}`),
      changes: this.#changes.read(changes, `changes of review ${row.id}`),
      eligible: strings(eligible, `eligible reviewers of review ${row.id}`),
    };
  }

  #areAnswers(value: unknown, status: ReviewState): value is Review["answers"] {
    return (FROZEN.has(status) ? this.#whole : this.#draft).fits(value);
  }
}
