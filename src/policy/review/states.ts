import type { ReviewState } from "#model/agent";
import { nextState } from "#policy/approval/decisions";

/**
 * What can be done with a review, from which state, and where it leads: the one table. A review that was approved,
 * rejected or withdrawn is over; the agent's next one is a new review.
 */
export const MOVES = {
  /** Answers change. What was submitted is submitted anew, and approvals of the old answers count for nothing. */
  edit: { draft: "draft", submitted: "submitted", in_review: "submitted", changes_requested: "changes_requested" },
  submit: { draft: "submitted", changes_requested: "submitted" },
  start: { submitted: "in_review" },
  /** An approval, with more still needed. */
  endorse: { submitted: "in_review", in_review: "in_review" },
  /** The last approval that was needed. */
  approve: { submitted: "approved", in_review: "approved" },
  request_changes: { submitted: "changes_requested", in_review: "changes_requested" },
  reject: { submitted: "rejected", in_review: "rejected" },
  withdraw: {
    draft: "withdrawn",
    submitted: "withdrawn",
    in_review: "withdrawn",
    changes_requested: "withdrawn",
  },
} as const satisfies Record<string, Partial<Record<ReviewState, ReviewState>>>;

export type ReviewMove = keyof typeof MOVES;

const isMove = (name: string): name is ReviewMove => name in MOVES;
const MOVE_NAMES: readonly ReviewMove[] = Object.keys(MOVES).filter(isMove);

/** What can be done from a state, in the order of the table. */
export const movesFrom = (state: ReviewState): ReviewMove[] =>
  MOVE_NAMES.filter((move) => nextState(MOVES, state, move) !== null);
