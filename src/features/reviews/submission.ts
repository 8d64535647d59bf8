import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import type { Agent } from "#model/agent";
import type { User } from "#model/person";
import { sha256Hex } from "#platform/hash";
import { approversOf } from "#policy/approval/decisions";
import { changesBetween } from "#policy/review/answers";
import { requiredApprovals } from "#policy/review/approvals";
import type { Answers, DraftAnswers } from "#policy/review/questionnaire";
import type { Review } from "#policy/review/review";
import { riskOf } from "#policy/review/risk";

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
  // Who handed in an earlier state of these answers is involved too.
  const requesters = [by.id, review.submitted_by];
  const eligible = approversOf(users, { requesters, owner_id: agent.owner_id, sponsor_id });
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

/** The sponsor the answers name, or the one the agent has. Only where there is nobody else may there be none. */
const sponsorOf = ({ ownership }: Answers, agent: Agent, users: readonly User[]): string | null => {
  const email = ownership.sponsor?.trim().toLowerCase();
  const named = users.find((user) => user.email.toLowerCase() === email);
  if (email !== undefined && !named) throw sponsorIs("is no user of this hub");
  const sponsor = named?.id ?? agent.sponsor_id;
  if (sponsor === agent.owner_id) throw sponsorIs("must not be the owner");
  if (sponsor === null && users.length > 1) throw sponsorIs("is required: the user responsible when the owner leaves");
  return sponsor;
};

const sponsorIs = (problem: string): GuardError =>
  new GuardError("invalid_value", `The sponsor ${problem}.`, { param: "answers.ownership.sponsor" });
