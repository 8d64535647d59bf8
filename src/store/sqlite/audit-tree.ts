import type { Database } from "bun:sqlite";
import type { Head } from "#store/audit-link";
import type { TreeHeadNote } from "#store/proof-port";
import { checkpointText } from "#store/tlog/checkpoint";
import { GrowingTree } from "#store/tlog/growing-tree";
import { HASH_BYTES, leafHash, type TreeHead } from "#store/tlog/merkle";
import { type NoteKey, noteKey, SIGNS_NOTES, signatureLine } from "#store/tlog/note";
import { edgeWidth, TILE_WIDTH, type Tile, type TilePlace, type TileReader } from "#store/tlog/tile";
import { checkedName } from "./audit-chain";
import { partitions } from "./audit-partitions";
import type { AuditSigner } from "./audit-signer";
import { identityOf } from "./node-log";

/*
 * The log as a transparency log (https://c2sp.org/tlog-tiles): a Merkle tree whose leaves are the records' bodies. Full
 * tiles are written in the transaction of their last record. Of the lowest tile that is not full, the hashes are as
 * durable as the bodies they are made from, so it is written with checkpoints only. Tiles stay when their months are dropped.
 */

/** `base`: the number of the last record that is not in the tree, 0 in logs that have always had one. */
export type TreeStart = { readonly origin: string; readonly base: number };

/** Null while nothing was written since the log has a tree. */
export const treeStartOf = (db: Database): TreeStart | null =>
  db.query<TreeStart, []>("SELECT origin, base FROM audit_tree").get();

/** Not in a backup of a database from before there were trees. */
export const hasTree = (db: Database): boolean =>
  db.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_tree'").get() !== null;

/** The newest tree head that the log has signed. `at` in Unix milliseconds. */
export const newestHead = (db: Database): TreeHeadNote | null =>
  db.query<TreeHeadNote, []>("SELECT size, note, at FROM audit_tree_head WHERE id = 1").get();
/** The newest that witnesses have signed too. */
export const witnessedHead = (db: Database): TreeHeadNote | null =>
  db.query<TreeHeadNote, []>("SELECT size, note, at FROM audit_tree_head WHERE id = 2").get();

/** A tile, or a record that one is made of, is not there. */
export class BrokenTree extends Error {
  override readonly name = "BrokenTree";
}

/** Throws `BrokenTree` when there is none. */
export const storedTiles =
  (db: Database): TileReader =>
  ({ level, index }) => {
    const row = storedTile(db, { level, index });
    if (row === null) throw new BrokenTree("A tile of the audit log is missing");
    return row;
  };

/** Null when there is none; may be shorter than the tree. */
export const storedTile = (db: Database, { level, index }: TilePlace): Uint8Array | null =>
  db.query<TileRow, [number, number]>("SELECT hashes FROM audit_tile WHERE level = ? AND idx = ?").get(level, index)
    ?.hashes ?? null;
type TileRow = { readonly hashes: Uint8Array };

/** Tiles of the tree of `size` leaves: what is not stored of the lowest is hashed from the records. */
export const tilesOf = (db: Database, base: number, size: number): TileReader => {
  const stored = storedTiles(db);
  const edge = Math.floor(size / TILE_WIDTH);
  return (place) => {
    if (place.level > 0 || place.index < edge) return stored(place);
    return lowestTile(db, base, place.index, edgeWidth(0, size));
  };
};

const lowestTile = (db: Database, base: number, index: number, width: number): Uint8Array => {
  const known = storedTile(db, { level: 0, index }) ?? new Uint8Array();
  if (known.length >= width * HASH_BYTES) return known.subarray(0, width * HASH_BYTES);
  const hashes = new Uint8Array(width * HASH_BYTES);
  hashes.set(known);
  const first = base + 1 + index * TILE_WIDTH;
  let at = known.length;
  for (const body of bodiesOf(db, first + at / HASH_BYTES, first + width)) {
    hashes.set(leafHash(body), at);
    at += HASH_BYTES;
  }
  if (at < hashes.length) throw new BrokenTree("A record of the audit log is missing");
  return hashes;
};

/** In order; `to` is the first that is not wanted. */
function* bodiesOf(db: Database, from: number, to: number): Generator<string> {
  for (const { name, dropped_at, first_seq, last_seq } of partitions(db)) {
    if (dropped_at !== null || first_seq >= to || (last_seq !== null && last_seq < from)) continue;
    const sql = `SELECT body FROM ${checkedName(name)} WHERE seq >= ? AND seq < ? ORDER BY seq`;
    for (const { body } of db.query<{ body: string }, [number, number]>(sql).iterate(from, to)) yield body;
  }
}

/** What checks the log's checkpoints. */
export const logKey = (origin: string, signer: AuditSigner): NoteKey => {
  const der = Uint8Array.fromBase64(signer.known().publicKey);
  // RFC 8410: the key itself is what the DER ends with.
  return noteKey(origin, SIGNS_NOTES, der.slice(-HASH_BYTES));
};

const noteOf = (origin: string, head: TreeHead, signer: AuditSigner): string =>
  signedNote(checkpointText({ origin, ...head }), origin, signer);

/** A text that ends with a newline, signed as the log `origin`. https://c2sp.org/signed-note */
export const signedNote = (text: string, origin: string, signer: AuditSigner): string => {
  const signature = Uint8Array.fromBase64(signer.sign(text).signature);
  return `${text}\n${signatureLine(logKey(origin, signer), signature)}`;
};

/** Grows the tree over one connection. Every method must run inside that connection's IMMEDIATE transaction. */
export class AuditTree {
  #start: TreeStart | null = null;
  #tree: GrowingTree | null = null;
  /** Hash of the last record in the tree, which stands for all before it. */
  #at = "";

  constructor(
    private readonly db: Database,
    private readonly signer: AuditSigner,
  ) {}

  /** The log ends at `head`, as others may have left it. */
  begin(head: Head): void {
    if (this.#tree !== null && this.#at === head.hash) return;
    this.#start = this.#begun(head);
    this.#tree = this.#treeAt(head.seq, this.#start);
    this.#at = head.hash;
  }

  /** Null when it cannot be gone on with: records come first, and verification tells of it. */
  #treeAt(seq: number, { base }: TreeStart): GrowingTree | null {
    try {
      return GrowingTree.of(seq - base, tilesOf(this.db, base, seq - base));
    } catch (error) {
      if (error instanceof BrokenTree) return null;
      throw error;
    }
  }

  /** After each record. */
  add(head: Head, body: string): void {
    const tree = this.#tree;
    if (tree === null) return;
    tree.add(leafHash(body), this.#put);
    // Each level above a full tile has one hash more.
    for (let level = 1; tree.size % TILE_WIDTH ** level === 0; level += 1) this.#putEdge(level, tree);
    this.#at = head.hash;
  }

  /** Signs the tree as it is. `at` in Unix milliseconds. */
  sign(at: number): void {
    if (this.#tree === null || this.#start === null || this.#tree.size === 0) return;
    this.#putEdge(0, this.#tree);
    const head = this.#tree.head();
    const put = "INSERT OR REPLACE INTO audit_tree_head (id, size, note, at) VALUES (1, ?, ?, ?)";
    this.db.query(put).run(head.size, noteOf(this.#start.origin, head, this.signer), at);
  }

  readonly #put = ({ level, index, hashes }: Tile): void => {
    const put = "INSERT OR REPLACE INTO audit_tile (level, idx, hashes) VALUES (?, ?, ?)";
    this.db.query<unknown, [number, number, Uint8Array]>(put).run(level, index, hashes);
  };

  #putEdge(level: number, tree: GrowingTree): void {
    const hashes = tree.edge(level);
    if (hashes.length > 0) this.#put({ level, index: Math.floor(tree.size / TILE_WIDTH ** (level + 1)), hashes });
  }

  /** A log that had records before it had a tree begins its tree after them. */
  #begun(head: Head): TreeStart {
    const known = treeStartOf(this.db);
    if (known !== null) return known;
    const identity = identityOf(this.db);
    const node = identity === null ? "" : `/${identity.node}-${identity.created_at}`;
    const start = { origin: `guardhouse/${this.signer.make().id}${node}`, base: head.seq };
    this.db.query("INSERT INTO audit_tree (id, origin, base) VALUES (1, ?, ?)").run(start.origin, start.base);
    return start;
  }
}
