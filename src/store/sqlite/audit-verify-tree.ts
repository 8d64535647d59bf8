import type { Database } from "bun:sqlite";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { GrowingTree } from "#store/tlog/growing-tree";
import { completeRoot, HASH_BYTES, isSameHash, leafHash } from "#store/tlog/merkle";
import { BadNote, readNote } from "#store/tlog/note";
import { BrokenTree, TILE_WIDTH, type Tile } from "#store/tlog/tile";
import type { AuditSigner } from "./audit-signer";
import {
  hasTree,
  logKey,
  newestHead,
  storedTile,
  storedTiles,
  type TreeStart,
  treeStartOf,
  witnessedHead,
} from "./audit-tree";

/** About three milliseconds' work. */
const TILES_AT_ONCE = 20;

type Fault = (seq: number, problem: string) => void;

/** Follows the records of a log and holds its tree to them: tiles, root and signature. */
export class TreeTrail {
  readonly #start: TreeStart | null;
  readonly #signed: SignedRoot | null;
  #tree: GrowingTree | null = null;
  #isBroken = false;

  /** As of now: what comes later is left alone. */
  constructor(
    private readonly db: Database,
    private readonly signer: AuditSigner,
    private readonly fault: Fault,
  ) {
    this.#start = hasTree(db) ? treeStartOf(db) : null;
    this.#signed = this.#start === null ? null : this.#signedRoot(this.#start);
  }

  /** Each record that is kept, in order. */
  record(seq: number, body: string): void {
    const start = this.#start;
    if (start === null || seq <= start.base || this.#isBroken) return;
    const index = seq - start.base - 1;
    this.#tree ??= this.#treeOf(index, seq);
    const tree = this.#tree;
    // What is missing is told of by the chain.
    if (tree?.size !== index) this.#isBroken = true;
    else {
      tree.add(leafHash(body), (tile) => this.#completed(tile, seq));
      if (tree.size === this.#signed?.size) this.#reached(tree, this.#signed, seq);
    }
  }

  /** What was signed: the root, and the lowest tile as it was written then, which the next start goes on from. */
  #reached(tree: GrowingTree, { root }: SignedRoot, seq: number): void {
    if (!isSameHash(tree.head().root, root)) this.#break(seq, "the records are not those whose tree was signed");
    const edge = tree.edge(0);
    const stored = storedTile(this.db, { level: 0, index: Math.floor(tree.size / TILE_WIDTH) });
    const isSame = edge.length === 0 || (stored !== null && isSameHash(stored.subarray(0, edge.length), edge));
    if (!isSame) this.#break(seq, "the newest tile of the log's tree is not that of its records");
  }

  /** Tiles of months that were dropped have nothing but each other to be held to. */
  async end(between: () => Promise<void>): Promise<void> {
    if (this.#start === null) return;
    const sql = `SELECT level, idx, hashes FROM audit_tile WHERE (level, idx) > (?, ?) ORDER BY level, idx LIMIT ${TILES_AT_ONCE}`;
    type Row = { readonly level: number; readonly idx: number; readonly hashes: Uint8Array };
    for (let [level, index] = [0, -1]; ; ) {
      const rows = this.db.query<Row, [number, number]>(sql).all(level, index);
      const last = rows.at(-1);
      if (last === undefined) return;
      for (const row of rows) this.#above(row.level, row.idx, row.hashes);
      [level, index] = [last.level, last.idx];
      await between();
    }
  }

  #treeOf(size: number, seq: number): GrowingTree | null {
    try {
      return GrowingTree.of(size, storedTiles(this.db));
    } catch (error) {
      if (!(error instanceof BrokenTree)) throw error;
      this.#break(seq, "tiles of the log's tree are missing");
      return null;
    }
  }

  #completed({ level, index, hashes }: Tile, seq: number): void {
    const stored = storedTile(this.db, { level, index });
    if (stored === null) this.#break(seq, `tile ${level}/${index} of the log's tree is missing`);
    else if (!isSameHash(stored, hashes))
      this.#break(seq, `tile ${level}/${index} of the log's tree is not that of its records`);
  }

  #above(level: number, index: number, hashes: Uint8Array): void {
    if (hashes.length < TILE_WIDTH * HASH_BYTES || this.#isBroken) return;
    const at = (index % TILE_WIDTH) * HASH_BYTES;
    const above = storedTile(this.db, { level: level + 1, index: Math.floor(index / TILE_WIDTH) });
    const named = above?.subarray(at, at + HASH_BYTES);
    const seq = (this.#start?.base ?? 0) + (index + 1) * TILE_WIDTH ** (level + 1);
    if (named === undefined || !isSameHash(completeRoot(hashes), named))
      this.#break(seq, `tile ${level}/${index} of the log's tree is not the one that the tree was made of`);
  }

  /** Null when there is nothing that could be compared. */
  #signedRoot({ origin, base }: TreeStart): SignedRoot | null {
    const [head, witnessed] = [newestHead(this.db), witnessedHead(this.db)];
    // Told of by what checks the key.
    if (this.signer.keyId === null) return null;
    const signed = this.#rootIn(head?.note ?? "", origin);
    if (signed === null) this.#break(base + (head?.size ?? 0), "the tree of the log has no good signature");
    if (witnessed !== null && this.#rootIn(witnessed.note, origin) === null)
      this.#break(base + witnessed.size, "the checkpoint with the witnesses' signatures is not one of this log");
    return signed;
  }

  /** Null unless the log has signed it. */
  #rootIn(note: string, origin: string): SignedRoot | null {
    try {
      const { text, signatures } = readNote(note);
      const { size, root, origin: named } = readCheckpoint(text);
      const key = logKey(origin, this.signer);
      const own = signatures.find(({ id }) => id === key.id);
      return named === origin && own && this.signer.isSigned(text, own.bytes.toBase64()) ? { size, root } : null;
    } catch (error) {
      if (error instanceof BadNote) return null;
      throw error;
    }
  }

  /** One fault leads to others in all that is above it, so the first is told. */
  #break(seq: number, problem: string): void {
    if (!this.#isBroken) this.fault(seq, problem);
    this.#isBroken = true;
  }
}

type SignedRoot = { readonly size: number; readonly root: Uint8Array };
