import type { Agent } from "#core/agent";
import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json";
import type { User } from "#core/person";
import { requiredApprovals } from "#core/review/approvals";
import { changesBetween } from "#core/review/changes";
import { type Decidable, eligibleFor } from "#core/review/decide";
import type { Answers, DraftAnswers } from "#core/review/questionnaire";
import type { Review } from "#core/review/review";
import { riskOf } from "#core/review/risk";
import { sha256Hex } from "#platform/hash";

type Circumstances = {
  readonly agent: Agent;
  readonly users: readonly User[];
  /** Complete. */
  readonly answers: Answers;
  /** The answers approved last; null for none. */
  readonly approved: DraftAnswers | null;
  readonly by: User;
  readonly now: number;
};

/** What a submission freezes, and whom the answers make the agent's sponsor. */
export type Submission = {
  readonly frozen: Pick<
    Review,
    "answers" | "content_hash" | "risk" | "changes" | "submitted_by" | "submitted_at" | "required" | "eligible"
  >;
  readonly sponsor_id: string | null;
};

/**
 * Answers as they are handed in: with their hash, their tier, and who may decide on them, all as of now.
 * Throws `invalid_value` for a sponsor that is none, `no_eligible_approver`.
 */
export const submissionOf = (review: Review, at: Circumstances): Submission => {
  const { agent, users, answers, approved, by, now } = at;
  const sponsor_id = sponsorOf(answers, agent, users);
  const risk = riskOf(answers);
  const hands = { requested_by: by.id, owner_id: agent.owner_id, sponsor_id, evidence_by: [] };
  // Who handed in an earlier state of these answers has a hand in them too.
  const eligible = eligibleFor(users, hands).filter((id) => id !== review.submitted_by);
  if (eligible.length === 0 && !users.some(({ role }) => role === "admin")) {
    throw new GuardError(
      "no_eligible_approver",
      "Nobody could decide on this: it takes a reviewer or an administrator who is neither owner, sponsor nor submitter.",
    );
  }
  const changes = approved === null ? [] : changesBetween(approved, answers);
  return {
    frozen: {
      answers,
      content_hash: sha256Hex(canonicalJson(answers)),
      risk,
      changes: changes.map(({ pointer, material }) => ({ pointer, material })),
      submitted_by: by.id,
      submitted_at: now,
      required: requiredApprovals(risk.tier, eligible.length),
      eligible,
    },
    sponsor_id,
  };
};

/** A review as something to decide on. An account that is gone has asked for nothing. */
export const decidable = (review: Review, agent: Agent, users: readonly User[]): Decidable => ({
  requested_by: users.some(({ id }) => id === review.submitted_by) ? review.submitted_by : null,
  owner_id: agent.owner_id,
  sponsor_id: agent.sponsor_id,
  evidence_by: [],
  eligible: review.eligible,
});

/** The sponsor the answers name, or the one the agent has. Only where there is nobody else may there be none. */
const sponsorOf = ({ ownership }: Answers, agent: Agent, users: readonly User[]): string | null => {
  const email = ownership.sponsor?.trim().toLowerCase();
  const named = users.find((user) => user.email.toLowerCase() === email);
  if (email !== undefined && !named) throw sponsorIs("is no user of this hub");
  const sponsor = named?.id ?? agent.sponsor_id;
  if (sponsor === agent.owner_id) throw sponsorIs("is somebody else than the owner");
  if (sponsor === null && users.length > 1)
    throw sponsorIs("is needed: who answers for the agent when its owner leaves");
  return sponsor;
};

const sponsorIs = (problem: string): GuardError =>
  new GuardError("invalid_value", `The sponsor ${problem}.`, { param: "answers.ownership.sponsor" });
