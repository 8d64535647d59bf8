import type { TuningMatch, TuningRule } from "#core/tuning/rule";
import { isActive } from "#core/tuning/rule";
import { SHOWN_HASH } from "#core/tuning/shape";
import { isUnused, standingOf } from "#core/tuning/states";
import type { Approval, Suggestion } from "#core/tuning/suggestion";
import type { ApprovalStatus } from "#engine/tuning/approval-desk";
import type { Outcome } from "#engine/tuning/rule-desk";
import type { Applied } from "#engine/tuning/tuning-desk";
import { timestamp } from "#platform/clock";
import type { ShownApplied, ShownRule, ShownStatus, ShownSuggestion } from "./shown";

/** How people are named: by id to gateway tokens, by e-mail address to signed-in people. */
export type Names = (userId: string) => string;

export const BY_ID: Names = (userId) => userId;

/** Whom a suggestion that is shown names, those who may decide on it among them. */
export const peopleOfSuggestion = (it: Suggestion): (string | null)[] => [
  ...[it.user_id, it.requested_by, it.created_by, it.rejected?.by ?? null],
  ...it.approvals.map(({ by }) => by),
  ...it.eligible,
];

/** Whom a rule that is shown names. */
export const peopleOfRule = ({ user_id, requested_by, approved_by }: TuningRule): (string | null)[] => [
  user_id,
  requested_by,
  ...approved_by,
];

const timeOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at));
const nameOrNull = (id: string | null, names: Names): string | null => (id === null ? null : names(id));

/** Of hashes only so much that two can be told apart. */
export const shownMatch = ({ value, ...match }: TuningMatch) => ({
  ...match,
  ...(value && { value: { hash: value.hash.slice(0, SHOWN_HASH), of: value.of } }),
});

export const shownSuggestion = (it: Suggestion, now: number, names: Names): ShownSuggestion => ({
  id: it.id,
  agent_id: it.agent_id,
  user_id: it.user_id,
  report_ids: it.report_ids,
  effect: it.effect,
  kind: it.kind,
  change: it.change,
  match: shownMatch(it.match),
  rationale: it.rationale,
  impact: it.impact,
  status: standingOf(it, now),
  approval:
    it.requested_at === null
      ? null
      : {
          required: it.required,
          eligible: it.eligible.length,
          requested_by: nameOrNull(it.requested_by, names),
          requested_at: timestamp(it.requested_at),
          note: it.request_note,
          approvals: it.approvals.map((one) => shownApproval(one, it, names)),
        },
  rejected: it.rejected && { ...it.rejected, by: names(it.rejected.by) },
  base_revision: it.base_revision,
  content_hash: it.content_hash,
  created_by: nameOrNull(it.created_by, names),
  created_at: timestamp(it.created_at),
  updated_at: timestamp(it.updated_at),
  expires_at: timeOrNull(it.expires_at),
  rule_id: it.rule_id,
});

const shownApproval = (
  { by, decision, comment, alone, at, content_hash }: Approval,
  it: Pick<Suggestion, "content_hash" | "requested_at">,
  names: Names,
) => ({
  by: names(by),
  decision,
  comment,
  alone,
  at: timestamp(at),
  /** Not once the change is another, or was asked for anew. */
  counts: content_hash === it.content_hash && it.requested_at !== null && at >= it.requested_at,
});

export const shownStatus = (it: Suggestion, status: ApprovalStatus, names: Names): ShownStatus => ({
  status: status.status,
  required: status.required,
  eligible: status.eligible.length,
  approvals: status.approvals.map((one) => shownApproval(one, it, names)),
  can_apply: status.can_apply,
  blocking: status.blocking,
  expires_at: timeOrNull(status.expires_at),
});

export const shownRule = (it: TuningRule, now: number, names: Names): ShownRule => ({
  id: it.id,
  agent_id: it.agent_id,
  user_id: it.user_id,
  kind: it.kind,
  effect: it.effect,
  match: shownMatch(it.match),
  change: it.change,
  mode: it.mode,
  status: it.status === "active" && !isActive(it, now) ? "lapsed" : it.status,
  expires_at: timeOrNull(it.expires_at),
  hits: it.hits,
  last_hit_at: timeOrNull(it.last_hit_at),
  /** Nothing has met it for 60 days: it could go. */
  unused: isUnused(it, now),
  suggestion_id: it.suggestion_id,
  requested_by: nameOrNull(it.requested_by, names),
  approved_by: it.approved_by.map(names),
  self_approved: it.self_approved,
  revision: it.revision,
  created_at: timestamp(it.created_at),
  ended_at: timeOrNull(it.ended_at),
});

/** A rule's revision is the policy revision it came with, and the one its subject's tuning last changed at. */
export const shownApplied = ({ suggestion, rule }: Applied, now: number, names: Names): ShownApplied => ({
  status: "applied",
  suggestion_id: suggestion.id,
  rule: shownRule(rule, now, names),
  policy_revision: rule.revision,
  tuning_revision: rule.revision,
});

/** 202 for what waits for somebody else. */
export const shownOutcome = (outcome: Outcome, now: number, names: Names, status = 200) =>
  outcome.kind === "in_force"
    ? { status, body: shownRule(outcome.rule, now, names) }
    : { status: 202, body: shownSuggestion(outcome.suggestion, now, names) };
