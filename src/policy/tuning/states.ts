import { approvalsOf, type Version } from "#policy/approval/decisions";
import { isActive, type TuningRule } from "./rule";
import type { Approval, Suggestion, SuggestionState } from "./suggestion";

/** What can be done with a suggestion, from which state, and where it leads: the one table. */
export const MOVES = {
  /** An edit makes another change, requested by the editor: approvals of the old one are void. */
  edit: {
    proposed: "pending_approval",
    pending_approval: "pending_approval",
    approved: "pending_approval",
    stale: "pending_approval",
    expired: "pending_approval",
  },
  /** Somebody stands behind it, as of the rules in force now; so what is stale or has expired can be asked for anew. */
  request: { proposed: "pending_approval", stale: "pending_approval", expired: "pending_approval" },
  approve: { pending_approval: "approved" },
  /** Also an approval taken back. It can be edited and asked for again. */
  deny: { pending_approval: "proposed", approved: "proposed" },
  apply: { approved: "applied" },
  /** Going stricter takes nobody's approval. */
  tighten: { proposed: "applied", pending_approval: "applied", approved: "applied" },
  reject: {
    proposed: "rejected",
    pending_approval: "rejected",
    approved: "rejected",
    stale: "rejected",
    expired: "rejected",
  },
  /** What it would change is not what it was. */
  outdate: { proposed: "stale", pending_approval: "stale", approved: "stale" },
  /** Its approval ran out. */
  lapse: { approved: "expired" },
  revert: { applied: "reverted" },
} as const satisfies Record<string, Partial<Record<SuggestionState, SuggestionState>>>;

export type SuggestionMove = keyof typeof MOVES;

/** States in which something can still come of a suggestion. */
export const OPEN_STATES: readonly SuggestionState[] = ["proposed", "pending_approval", "approved", "stale", "expired"];

const DAY_MS = 86_400_000;
/** How long an approval is good for. */
export const APPROVAL_MS = 7 * DAY_MS;
/** How long a loosening rule holds unless somebody says otherwise. */
export const LOOSENING_DAYS = 90;
/** A rule that nothing met for so long is of no use any more. */
const UNUSED_MS = 60 * DAY_MS;

/** When a rule ends that begins now; null for not by itself. */
export const endOf = (effect: TuningRule["effect"], days: number | undefined, now: number): number | null => {
  const given = days ?? (effect === "loosen" ? LOOSENING_DAYS : null);
  return given === null ? null : now + given * DAY_MS;
};

/** The state as of now: an approval runs out by itself. */
export const currentState = (
  { status, expires_at }: Pick<Suggestion, "status" | "expires_at">,
  now: number,
): SuggestionState => (status === "approved" && expires_at !== null && expires_at <= now ? "expired" : status);

/** What approvals are of. */
export const versionOf = ({
  content_hash,
  requested_at,
}: Pick<Suggestion, "content_hash" | "requested_at">): Version => ({
  content_hash,
  asked_at: requested_at,
});

/** Approvals of the change as it is now. */
export const approvalsGiven = (suggestion: Suggestion): Approval[] =>
  approvalsOf(suggestion.approvals, versionOf(suggestion));

/** What a suggestion was made against, as it is now. */
export type BaseRevisions = {
  /** The policy revision at which the subject's tuning last changed; null for never. */
  readonly tuning_revision: number | null;
  /** When the subject's newest profile came into force; null for none. */
  readonly profile_from: number | null;
};

/** Whether anything it was made against changed since it was last looked at: tuning or profile of the same subject. */
export const hasBaseChanged = (
  { base_revision, updated_at }: Pick<Suggestion, "base_revision" | "updated_at">,
  { tuning_revision, profile_from }: BaseRevisions,
): boolean => (tuning_revision ?? 0) > base_revision || (profile_from ?? 0) > updated_at;

/** Whether nothing has met a rule for so long that it could go. */
export const isUnused = (rule: TuningRule, now: number): boolean =>
  isActive(rule, now) && now - (rule.last_hit_at ?? rule.created_at) >= UNUSED_MS;
