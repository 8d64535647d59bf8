import type { TilePlace } from "./tlog/tile";

/* The logs of this data directory as transparency logs: what proves to others that a record is in one. */

/** `node`: whose log; null for the main one. `key`: its public key, as `readKey` takes it. */
export type TreeLog = {
  readonly node: string | null;
  readonly origin: string;
  readonly key: string;
  /** The newest signed tree head; null before the first. */
  readonly head: TreeHeadNote | null;
  /** The newest that witnesses have signed too; null for none. */
  readonly witnessed: TreeHeadNote | null;
};

/** `note`: the signed checkpoint. `at` in Unix milliseconds. */
export type TreeHeadNote = { readonly size: number; readonly note: string; readonly at: number };

/** Why there is no proof, for people. */
export const NO_PROOF = {
  before_tree: "The record is from before this log had a tree: the integrity check covers it, a proof cannot.",
  unsigned: "No checkpoint covers the record yet; the log signs one each minute.",
  elsewhere:
    "The record is in the log of another hub, or a change in PostgreSQL. Prove calls where they were recorded.",
  damaged: "The tree of the log is damaged: the integrity check says where.",
} as const;
export type NoProof = keyof typeof NO_PROOF;

/** A file as `readProof` takes it, or why there is none. */
export type Proved = { readonly proof: string } | { readonly none: NoProof };

/** A record as it was read; `node` is absent for the log that the process writes to by itself. */
export type Recorded = { readonly node?: string | undefined; readonly seq: number; readonly body: string };

export type ProofStore = {
  /** The main one first. Logs without a tree are left out. */
  logs(): Promise<TreeLog[]>;
  /** That a record is in the log, with its body. */
  prove(record: Recorded): Promise<Proved>;
  /** That the tree of `to` leaves begins with that of `from`: hashes in base64. Null for sizes the log has not, or no longer. */
  consistency(node: string | null, from: number, to: number): Promise<string[] | null>;
  /** Hashes of a tile as it is in a tree that was signed; null for others. */
  tile(node: string | null, place: TilePlace, width: number): Promise<Uint8Array | null>;
  /** The text as a note signed by the main log's key. Its first line must be that of no checkpoint: it has a space. */
  sign(text: string): Promise<string>;
  /** Keeps a checkpoint that witnesses have signed, unless a larger one is kept. */
  keepWitnessed(node: string | null, head: TreeHeadNote): Promise<void>;
};
