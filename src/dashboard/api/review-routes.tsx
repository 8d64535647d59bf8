import type { DraftAnswers } from "#core/review/questionnaire";
import type { NewComment, NewDecision } from "#modules/reviews/schema";
import type { ReviewSummary, WholeReview } from "#modules/reviews/shown";
import type { List, Paging } from "./shapes";

type Given = { readonly answers: DraftAnswers };

/** Agent Review. */
export type ReviewRoutes = {
  "GET /api/reviews": { query: Paging & { readonly status?: string | undefined }; answer: List<ReviewSummary> };
  "GET /api/agents/:id/reviews": { query: Paging; answer: List<ReviewSummary> };
  "POST /api/agents/:id/reviews": { body: Partial<Given>; answer: WholeReview };
  "GET /api/reviews/:id": { answer: WholeReview };
  "PATCH /api/reviews/:id": { body: Given; answer: WholeReview };
  "POST /api/reviews/:id/submit": { answer: WholeReview };
  "POST /api/reviews/:id/withdraw": { answer: WholeReview };
  "POST /api/reviews/:id/start": { answer: WholeReview };
  "POST /api/reviews/:id/decisions": { body: NewDecision; answer: WholeReview };
  "POST /api/reviews/:id/comments": { body: NewComment; answer: WholeReview };
};
