import type { PolicyProposal } from "#policy/baseline/baseline";
import type { PolicyEdits } from "#policy/baseline/edits";
import type { SerialisedRecord } from "./record";

/** A policy as it was put in force: plain JSON, compiled on reading. Revisions start at 1 and never repeat. */
export type PolicyRow = { readonly revision: number; readonly source: string; readonly created_at: number };

/** What people had set by hand when a revision was put in force, and who put it in force. */
export type PolicyEdit = {
  readonly revision: number;
  readonly edits: PolicyEdits;
  readonly user_id: string | null;
  readonly reason: string;
  /** The revision it brought back. */
  readonly restored: number | null;
};

export type PolicyRevision = PolicyRow & { readonly edit: PolicyEdit | null };

export type Decided = Pick<PolicyProposal, "id" | "state" | "decided_by" | "decided_at" | "comment">;

export type PolicyStore = {
  latest(): Promise<PolicyRow | null>;
  byRevision(revision: number): Promise<PolicyRevision | null>;
  /** Those that say something else than the one before, newest first, older than `before`. */
  history(page: { readonly before: number | null; readonly limit: number }): Promise<PolicyRevision[]>;
  /** What is set by hand as of a revision; null while nothing ever was. */
  editsAt(revision: number): Promise<PolicyEdit | null>;
  /**
   * Appends revision `expected + 1`; null when another writer was first, or the proposal it ends is no longer waiting.
   */
  append(
    expected: number,
    source: string,
    createdAt: number,
    record: SerialisedRecord,
    byHand?: { readonly edit: Omit<PolicyEdit, "revision">; readonly ends: Decided | null },
  ): Promise<PolicyRow | null>;
  propose(proposal: PolicyProposal, record: SerialisedRecord): Promise<void>;
  proposal(id: string): Promise<PolicyProposal | null>;
  /** Those that wait, oldest first. */
  waiting(): Promise<PolicyProposal[]>;
  /** False when it no longer waits. */
  decide(decided: Decided, record: SerialisedRecord): Promise<boolean>;
};
