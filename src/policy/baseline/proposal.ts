import type { PolicyEdits } from "./edits";

/** A looser policy that somebody asked for and somebody else decides on. */
export type PolicyProposal = {
  readonly id: string;
  /** The revision it was made against. */
  readonly base_revision: number;
  /** All that is set by hand once it is in force. */
  readonly edits: PolicyEdits;
  /** The revision it brings back; null for changes. */
  readonly restored: number | null;
  readonly reason: string;
  /** Who could decide when it was asked for. */
  readonly eligible: readonly string[];
  readonly proposed_by: string;
  readonly proposed_at: number;
  readonly state: "waiting" | "applied" | "rejected" | "stale";
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly comment: string | null;
};
