import { canonicalJson } from "#core/json/json";
import { sha256Hex } from "#platform/hash";
import { compileProfile } from "#policy/profile/compile";
import { dueAfter } from "#policy/review/approvals";
import type { Answers } from "#policy/review/questionnaire";
import type { Review, Risk } from "#policy/review/review";
import type { ProfileRow, Publication } from "#store/governance-port";

type Approved = {
  readonly review: Review;
  readonly answers: Answers;
  readonly risk: Risk;
  /** Everybody whose approval counted. */
  readonly approved_by: readonly string[];
  /** The agent's newest profile; null for none. */
  readonly newest: Pick<ProfileRow, "version"> | null;
  readonly id: string;
  readonly now: number;
};

/** What comes into force with the last approval: the compiled profile, and what it makes of the agent. */
export const publicationOf = (it: Approved): Publication & { readonly profile: ProfileRow } => {
  const body = compileProfile(it.answers, it.risk);
  const version = (it.newest?.version ?? 0) + 1;
  return {
    profile: {
      id: it.id,
      agent_id: it.review.agent_id,
      version,
      content_hash: sha256Hex(canonicalJson(body)),
      review_id: it.review.id,
      approved_by: [...new Set(it.approved_by)],
      body,
      effective_from: it.now,
    },
    agent: { review_status: "approved", review_due_at: dueAfter(it.risk.tier, it.now), profile_version: version },
  };
};
