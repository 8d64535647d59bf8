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

/**
 * `before_tree`: from before the log had a tree. `unsigned`: no checkpoint covers it yet, which takes a minute at most.
 * `elsewhere`: in a log that is not in this data directory.
 */
export type NoProof = "before_tree" | "unsigned" | "elsewhere";

export type ProofStore = {
  /** The main one first. Logs without a tree are left out. */
  logs(): Promise<TreeLog[]>;
  /** That a record is in the log: a file as `readProof` takes it, with its body. */
  prove(record: {
    readonly node: string | null;
    readonly seq: number;
    readonly body: string;
  }): Promise<string | NoProof>;
  /** That the tree of `to` leaves begins with that of `from`: hashes in base64. Null for sizes the log has not. */
  consistency(node: string | null, from: number, to: number): Promise<string[] | null>;
  /** Hashes of a tile as it is in a tree that was signed; null for others. */
  tile(node: string | null, place: TilePlace, width: number): Promise<Uint8Array | null>;
  /** The text as a note signed by the main log's key. Its first line must be that of no checkpoint: it has a space. */
  sign(text: string): Promise<string>;
  /** Keeps a checkpoint that witnesses have signed, unless a larger one is kept. */
  keepWitnessed(node: string | null, head: TreeHeadNote): Promise<void>;
};
