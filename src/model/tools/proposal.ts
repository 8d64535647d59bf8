/** What became of a server that was imported: it waits, somebody approved or rejected it, or a later import took its place. */
export const PROPOSAL_STATES = ["proposed", "approved", "rejected", "replaced"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** A server that another registry lists, until an operator has decided about it. Times are Unix milliseconds. */
export type Proposal = {
  readonly id: string;
  /** In reverse-DNS form, as the registry has it. */
  readonly name: string;
  readonly version: string;
  /** Where it was imported from: an address without its query, or the name of a file. */
  readonly source: string;
  /** The registry's `server` object as JSON. Never changes: what is approved is what was read. */
  readonly entry: string;
  /** Of the canonical JSON. */
  readonly entry_hash: string;
  readonly state: ProposalState;
  /** Null for the command line. */
  readonly imported_by: string | null;
  readonly imported_at: number;
  readonly decided_by: string | null;
  /** Null for one that waits. */
  readonly decided_at: number | null;
  /** Why it was rejected, if somebody said so. */
  readonly reason: string | null;
  /** The tool server that was made of it. */
  readonly server_id: string | null;
};
