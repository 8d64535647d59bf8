import type { UserDecision } from "#policy/approval/decisions";
import type { Effect, TuningChange, TuningKind, TuningMatch, TuningSubject } from "./rule";

export const SUGGESTION_STATES = [
  "proposed",
  "pending_approval",
  "approved",
  "applied",
  "reverted",
  "rejected",
  "stale",
  "expired",
] as const;
export type SuggestionState = (typeof SUGGESTION_STATES)[number];

/** What replaying a change over stored decisions and golden samples says. */
export type TuningImpact = {
  readonly window_days: number;
  /** Decisions of the window the change could concern. */
  readonly decisions: number;
  readonly would_change: number;
  /** Confirmed true positives, and golden samples, that would no longer be caught. Above 0 it can never be applied. */
  readonly would_release_confirmed: number;
  /** 0 to 1: the share of those decisions that could be judged again. */
  readonly coverage: number;
};

/** About a rule that is there (`rule_id`): `off` ends it, `monitor` makes it watch only, `enforce` makes it hold, or hold longer. */
export type Amendment = { readonly op: "amend"; readonly mode: "off" | "monitor" | "enforce" };

export type Approval = UserDecision<"approve" | "deny">;

/** A change that would have avoided a mistake. It changes nothing until a person has approved it. */
export type Suggestion = TuningSubject & {
  readonly id: string;
  readonly report_ids: readonly string[];
  readonly kind: TuningKind;
  readonly effect: Effect;
  readonly change: TuningChange | Amendment;
  readonly match: TuningMatch;
  readonly rationale: string;
  readonly impact: TuningImpact;
  readonly status: SuggestionState;
  readonly approvals: readonly Approval[];
  /** Approvals needed, and who could give them, as of the request. */
  readonly required: number;
  readonly eligible: readonly string[];
  readonly requested_by: string | null;
  readonly request_note: string | null;
  readonly requested_at: number | null;
  /** The policy revision it was made against, and the hash of what it would change. */
  readonly base_revision: number;
  /** SHA-256, hex, of canonical match and change. */
  readonly content_hash: string;
  readonly rejected: { readonly by: string; readonly reason: string; readonly comment: string | null } | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Of an approved one: when the approval runs out. */
  readonly expires_at: number | null;
  /** The rule it became; of one that is not applied yet, the rule it would change. */
  readonly rule_id: string | null;
  readonly revision: number;
};
