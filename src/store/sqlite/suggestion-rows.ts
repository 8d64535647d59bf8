import type { Suggestion } from "#core/tuning/suggestion";
import { StoredShape, strings } from "./json-columns";
import { tables } from "./schema";
import { Approvals, ImpactShape, Match, Rejected, SuggestedChange } from "./tuning-shapes";

/* Suggestions as rows, and back. */

const { suggestion } = tables;

export const columns = {
  id: suggestion.id,
  user_id: suggestion.userId,
  agent_id: suggestion.agentId,
  report_ids: suggestion.reportIds,
  kind: suggestion.kind,
  effect: suggestion.effect,
  change: suggestion.change,
  match: suggestion.match,
  rationale: suggestion.rationale,
  impact: suggestion.impact,
  status: suggestion.status,
  approvals: suggestion.approvals,
  required: suggestion.required,
  eligible: suggestion.eligible,
  requested_by: suggestion.requestedBy,
  request_note: suggestion.requestNote,
  requested_at: suggestion.requestedAt,
  base_revision: suggestion.baseRevision,
  content_hash: suggestion.contentHash,
  rejected: suggestion.rejected,
  created_by: suggestion.createdBy,
  created_at: suggestion.createdAt,
  updated_at: suggestion.updatedAt,
  expires_at: suggestion.expiresAt,
  rule_id: suggestion.ruleId,
  revision: suggestion.revision,
};

/** Whose it is and who made it stays. */
const saidOnce = (it: Suggestion) => ({
  id: it.id,
  userId: it.user_id,
  agentId: it.agent_id,
  createdBy: it.created_by,
  createdAt: it.created_at,
});

export const changing = (it: Suggestion) => ({
  reportIds: it.report_ids,
  kind: it.kind,
  effect: it.effect,
  change: it.change,
  match: it.match,
  rationale: it.rationale,
  impact: it.impact,
  status: it.status,
  approvals: it.approvals,
  required: it.required,
  eligible: it.eligible,
  requestedBy: it.requested_by,
  requestNote: it.request_note,
  requestedAt: it.requested_at,
  baseRevision: it.base_revision,
  contentHash: it.content_hash,
  rejected: it.rejected,
  updatedAt: it.updated_at,
  expiresAt: it.expires_at,
  ruleId: it.rule_id,
  revision: it.revision,
});

export const rowOf = (it: Suggestion): typeof suggestion.$inferInsert => ({ ...saidOnce(it), ...changing(it) });

type Json = "report_ids" | "change" | "match" | "impact" | "approvals" | "eligible" | "rejected";
type Raw = Omit<Suggestion, Json> & { readonly [K in Json]: unknown };

/** Checks what stands in the JSON columns of a suggestion. */
export class SuggestionReader {
  readonly #change = new StoredShape(SuggestedChange);
  readonly #match = new StoredShape(Match);
  readonly #impact = new StoredShape(ImpactShape);
  readonly #approvals = new StoredShape(Approvals);
  readonly #rejected = new StoredShape(Rejected);

  checked({ report_ids: reports, change, match, impact, approvals, eligible, rejected, ...row }: Raw): Suggestion {
    const of = `of suggestion ${row.id}`;
    return {
      ...row,
      report_ids: strings(reports, `reports ${of}`),
      change: this.#change.read(change, `change ${of}`),
      match: this.#match.read(match, `match ${of}`),
      impact: this.#impact.read(impact, `impact ${of}`),
      approvals: this.#approvals.read(approvals, `approvals ${of}`),
      eligible: strings(eligible, `eligible approvers ${of}`),
      rejected: this.#rejected.read(rejected, `rejection ${of}`),
    };
  }
}
