import { canonicalJson } from "#core/json/json";
import { sha256Hex } from "#platform/hash";
import type { Suggestion } from "#policy/tuning/suggestion";

/** What approvals are of: any edit gives another. */
export const contentHash = ({ match, change }: Pick<Suggestion, "match" | "change">): string =>
  sha256Hex(canonicalJson({ match, change }));

type Proposed = Pick<
  Suggestion,
  | ("id" | "agent_id" | "user_id" | "report_ids" | "kind" | "effect" | "change" | "match" | "rationale" | "impact")
  | ("base_revision" | "created_by" | "created_at" | "rule_id")
>;

/** A suggestion that nobody has done anything about yet. */
export const proposalOf = (proposed: Proposed): Suggestion => ({
  ...proposed,
  status: "proposed",
  approvals: [],
  required: 1,
  eligible: [],
  requested_by: null,
  request_note: null,
  requested_at: null,
  content_hash: contentHash(proposed),
  rejected: null,
  updated_at: proposed.created_at,
  expires_at: null,
  revision: 1,
});
