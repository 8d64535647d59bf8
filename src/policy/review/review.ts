import type { ReviewState } from "#model/agent";
import type { UserDecision } from "#policy/approval/decisions";
import type { DraftAnswers } from "./questionnaire";

/** States in which a review is still going on: an agent has at most one such review. */
export const OPEN_STATES: readonly ReviewState[] = ["draft", "submitted", "in_review", "changes_requested"];

export const TIERS = ["low", "medium", "high", "critical"] as const;
export type Tier = (typeof TIERS)[number];

/** How risky an agent is, with the sum that says so. */
export type Risk = {
  readonly tier: Tier;
  /** 0 to 20. */
  readonly points: number;
  readonly parts: readonly { readonly name: string; readonly answer: string; readonly points: number }[];
  /** Why the tier is above what the points say; null when it is not. */
  readonly raised: string | null;
};

/** One passage of an agent through Agent Review. Times are Unix milliseconds. */
export type Review = {
  readonly id: string;
  readonly agent_id: string;
  /** 1 for the agent's first, and so on. */
  readonly number: number;
  readonly status: ReviewState;
  /** Complete once submitted; a draft's may have gaps. */
  readonly answers: DraftAnswers;
  /** SHA-256 of the canonical answers as submitted, hex; null for a draft. Approvals are of this hash. */
  readonly content_hash: string | null;
  readonly risk: Risk | null;
  /** What changed against the last approved answers, as JSON pointers, and whether it matters. */
  readonly changes: readonly { readonly pointer: string; readonly material: boolean }[];
  readonly submitted_by: string | null;
  readonly submitted_at: number | null;
  /** Approvals needed, and who could give them, as of the submission. */
  readonly required: number | null;
  readonly eligible: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
  /** Raised by every change; what `If-Match` is compared with. */
  readonly revision: number;
};

export const DECISIONS = ["approve", "request_changes", "reject"] as const;
export type ReviewDecision = UserDecision<(typeof DECISIONS)[number]> & {
  readonly id: string;
  readonly review_id: string;
};

export type ReviewComment = {
  readonly id: string;
  readonly review_id: string;
  readonly by: string;
  /** The section it is about; null for the whole. */
  readonly section: string | null;
  readonly text: string;
  readonly at: number;
};
