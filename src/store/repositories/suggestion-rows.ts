import type { Suggestion } from "#policy/tuning/suggestion";
import { StoredShape, strings } from "#store/stored";
import { Approvals, ImpactShape, Match, Rejected, SuggestedChange } from "./tuning-shapes";

/* Suggestions as rows, and back. */

/** What may change: whose it is and who made it stays. */
export const changing = ({
  id: _id,
  user_id: _user,
  agent_id: _agent,
  created_by: _by,
  created_at: _created,
  ...rest
}: Suggestion) => rest;

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
