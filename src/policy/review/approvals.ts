import { approvalsOf, isEnough, type Version } from "#policy/approval/decisions";
import type { Review, ReviewDecision, Tier } from "./review";
import { isAtLeast } from "./risk";

const REQUIRED: Readonly<Record<Tier, number>> = { low: 1, medium: 1, high: 2, critical: 2 };
const DUE_MONTHS: Readonly<Record<Tier, number>> = { low: 24, medium: 12, high: 6, critical: 3 };

/** Approvals of different people an agent of this tier needs, as far as there are so many who could give one. */
export const requiredApprovals = (tier: Tier, eligible: number): number =>
  Math.min(REQUIRED[tier], Math.max(1, eligible));

export type ReviewProgress = {
  readonly given: readonly ReviewDecision[];
  readonly required: number;
  /** One of those still missing must be an administrator's. */
  readonly needs_admin: boolean;
  readonly complete: boolean;
};

/** What approvals are of. */
export const versionOf = ({ content_hash, submitted_at }: Pick<Review, "content_hash" | "submitted_at">): Version => ({
  content_hash,
  asked_at: submitted_at,
});

/** How far a review is. A critical agent takes an administrator's approval, if one could decide at all. */
export const progressOf = (
  review: Review,
  decisions: readonly ReviewDecision[],
  isAdmin: (userId: string) => boolean,
): ReviewProgress => {
  const { risk, required, eligible } = review;
  const given = approvalsOf(decisions, versionOf(review));
  const least = required ?? 1;
  const wantsAdmin = risk !== null && isAtLeast(risk.tier, "critical") && eligible.some(isAdmin);
  const needs_admin = wantsAdmin && !given.some(({ by }) => isAdmin(by));
  return {
    given,
    required: least,
    needs_admin,
    complete: isEnough(given, least) && !needs_admin,
  };
};

/** When an approved agent is reviewed again, Unix milliseconds: the same day some months on, or that month's last. */
export const dueAfter = (tier: Tier, approvedAt: number): number => {
  const due = new Date(approvedAt);
  const day = due.getUTCDate();
  due.setUTCDate(1);
  due.setUTCMonth(due.getUTCMonth() + DUE_MONTHS[tier]);
  const daysIn = new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() + 1, 0)).getUTCDate();
  due.setUTCDate(Math.min(day, daysIn));
  return due.getTime();
};
