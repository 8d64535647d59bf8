import type { TuningRule } from "#core/tuning/rule";
import { StoredShape, strings } from "./json-columns";
import { tables } from "./schema";
import { Change, Match } from "./tuning-shapes";

/* Tuning rules as rows, and back. */

const { tuningRule } = tables;

export const columns = {
  id: tuningRule.id,
  user_id: tuningRule.userId,
  agent_id: tuningRule.agentId,
  kind: tuningRule.kind,
  effect: tuningRule.effect,
  match: tuningRule.match,
  change: tuningRule.change,
  mode: tuningRule.mode,
  status: tuningRule.status,
  expires_at: tuningRule.expiresAt,
  hits: tuningRule.hits,
  last_hit_at: tuningRule.lastHitAt,
  suggestion_id: tuningRule.suggestionId,
  requested_by: tuningRule.requestedBy,
  approved_by: tuningRule.approvedBy,
  self_approved: tuningRule.selfApproved,
  revision: tuningRule.revision,
  created_at: tuningRule.createdAt,
  ended_at: tuningRule.endedAt,
};

export const rowOf = (it: TuningRule, changed: number): typeof tuningRule.$inferInsert => ({
  id: it.id,
  userId: it.user_id,
  agentId: it.agent_id,
  kind: it.kind,
  effect: it.effect,
  match: it.match,
  change: it.change,
  mode: it.mode,
  status: it.status,
  expiresAt: it.expires_at,
  hits: it.hits,
  lastHitAt: it.last_hit_at,
  suggestionId: it.suggestion_id,
  requestedBy: it.requested_by,
  approvedBy: it.approved_by,
  selfApproved: it.self_approved,
  revision: it.revision,
  createdAt: it.created_at,
  endedAt: it.ended_at,
  changed,
});

type Json = "match" | "change" | "approved_by";
type Raw = Omit<TuningRule, Json> & { readonly [K in Json]: unknown };

/** Checks what stands in the JSON columns of a rule. */
export class RuleReader {
  readonly #match = new StoredShape(Match);
  readonly #change = new StoredShape(Change);

  checked({ match, change, approved_by: approvers, ...row }: Raw): TuningRule {
    const of = `of tuning rule ${row.id}`;
    return {
      ...row,
      match: this.#match.read(match, `match ${of}`),
      change: this.#change.read(change, `change ${of}`),
      approved_by: strings(approvers, `approvers ${of}`),
    };
  }
}
