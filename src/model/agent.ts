import { type Static, Type } from "#core/schema";
import { Suspension } from "#model/suspension";

/** `retired` is final: its tokens open nothing, what it did stays on record. */
export const LIFECYCLES = ["active", "suspended", "retired"] as const;
export const Lifecycle = Type.Union(LIFECYCLES.map((state) => Type.Literal(state)));
export type Lifecycle = Static<typeof Lifecycle>;

/** The states of one review. */
export const REVIEW_STATES = [
  "draft",
  "submitted",
  "in_review",
  "changes_requested",
  "approved",
  "rejected",
  "withdrawn",
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/**
 * Where the paperwork stands: the state of the agent's review, or what has become of what was approved. `expiring` and
 * `expired` are read off the date (`standingOf`), never stored.
 */
export const REVIEW_STATUSES = [...REVIEW_STATES, "expiring", "expired", "revoked"] as const;
export const ReviewStatus = Type.Union(REVIEW_STATUSES.map((status) => Type.Literal(status)));
export type ReviewStatus = Static<typeof ReviewStatus>;

const nullable = Type.Union([Type.String(), Type.Null()]);

/** A registered AI agent. What governs it is its profile; `review_status` and `lifecycle` are two things. */
export const Agent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The person who answers for it, and owns it everywhere. */
  owner_id: Type.String(),
  /** Who answers when the owner leaves. Never the owner. */
  sponsor_id: nullable,
  description: nullable,
  /** Free words of the owner's: `production`, `staging`. */
  environment: nullable,
  review_status: ReviewStatus,
  lifecycle: Lifecycle,
  /** Who suspended it last; null for nobody. It says something while `lifecycle` is `suspended`. */
  suspension: Type.Union([Suspension, Type.Null()]),
  /** The profile in force; null while it is ungoverned and runs under the baseline. */
  profile_version: Type.Union([Type.Integer(), Type.Null()]),
  /** When the review lapses, Unix milliseconds; null for none. */
  review_due_at: Type.Union([Type.Integer(), Type.Null()]),
  created_at: Type.Integer(),
});
export type Agent = Static<typeof Agent>;

/** A review is due again: shown this long before, in milliseconds. */
const EXPIRING_MS = 30 * 86_400_000;

/** The status as it stands now: an approval that is due becomes `expiring` and then `expired`. */
export const currentReviewStatus = ({ review_status, review_due_at }: Agent, now: number): ReviewStatus => {
  if (review_status !== "approved" || review_due_at === null) return review_status;
  if (now >= review_due_at) return "expired";
  return now >= review_due_at - EXPIRING_MS ? "expiring" : "approved";
};
