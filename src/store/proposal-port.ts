import type { PageWindow } from "#core/page";
import type { Proposal, ProposalState } from "#model/tools/proposal";
import type { SerialisedRecord } from "./record";

export type ProposalFilter = { readonly state?: ProposalState | undefined; readonly words?: string | undefined };

/** Who decided about a proposal, and when. Null for the command line. */
export type Decider = { readonly decided_by: string | null; readonly decided_at: number };

/** What became of those that were imported together. */
export type Imported = { readonly proposed: readonly string[]; readonly unchanged: number };

export type ProposalStore = {
  /**
   * Proposes what is not there yet in that very form; others of its name that wait are `replaced`. One that was rejected
   * stays so, and one whose server is gone is proposed again. `full`, and nothing is written, when more than `most`
   * would wait. `recordOf` gets the ids that were proposed; nothing is written where there are none.
   */
  import(
    proposals: readonly Proposal[],
    recordOf: (ids: readonly string[]) => SerialisedRecord,
    most: number,
  ): Promise<Imported | "full">;
  /** Newest first. */
  page(filter: ProposalFilter, window: PageWindow): Promise<Proposal[]>;
  byId(id: string): Promise<Proposal | null>;
  /** Newest first. */
  named(name: string): Promise<Proposal[]>;
  /** Those that servers were made of. */
  approved(): Promise<Proposal[]>;
  /** False where it does not wait. Approving is `ToolServerStore.add`. */
  reject(
    id: string,
    decision: Decider & { readonly reason: string | null },
    record: SerialisedRecord,
  ): Promise<boolean>;
};
