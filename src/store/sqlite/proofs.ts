import type { Database } from "bun:sqlite";
import type { ProofStore, Proved, Recorded, TreeHeadNote, TreeLog } from "#store/proof-port";
import { consistencyProof, HASH_BYTES, inclusionProof, isSameHash, leafHash } from "#store/tlog/merkle";
import { keyText } from "#store/tlog/note";
import { proofText } from "#store/tlog/proof";
import { BrokenTree, subtreeRootsOf, type TilePlace, widthIn } from "#store/tlog/tile";
import type { AuditSigner } from "./audit-signer";
import { logKey, newestHead, signedNote, type TreeStart, tilesOf, treeStartOf, witnessedHead } from "./audit-tree";
import { transaction } from "./database";
import type { NodeLogs } from "./node-logs";

type ProofNeeds = { readonly logs: NodeLogs; readonly signer: AuditSigner };
type Tree = TreeStart & { readonly node: string | null; readonly db: Database };

/** Reads trees; each answer is of one moment. */
export class SqliteProofs implements ProofStore {
  constructor(private readonly deps: ProofNeeds) {}

  /** None where the key is lost: nothing that only looks makes one. */
  async logs(): Promise<TreeLog[]> {
    if (this.deps.signer.keyId === null) return [];
    return this.#trees().map(({ node, db, origin }) => ({
      node,
      origin,
      key: keyText(logKey(origin, this.deps.signer)),
      head: newestHead(db),
      witnessed: witnessedHead(db),
    }));
  }

  async prove({ node, seq, body }: Recorded): Promise<Proved> {
    const log = this.deps.logs.all().find((one) => one.node === (node ?? null));
    if (log === undefined) return { none: "elsewhere" };
    const start = treeStartOf(log.db);
    const index = seq - (start?.base ?? 0) - 1;
    if (start === null || index < 0) return { none: "before_tree" };
    return whole<Proved>({ none: "damaged" }, () =>
      transaction<Proved>(log.db, () => proofIn(log.db, start.base, { index, body }), "DEFERRED"),
    );
  }

  async consistency(node: string | null, from: number, to: number): Promise<string[] | null> {
    const tree = this.#treeOf(node);
    if (tree === null) return null;
    const read = () => {
      const size = newestHead(tree.db)?.size ?? 0;
      if (from < 1 || from > to || to > size) return null;
      const roots = subtreeRootsOf(tilesOf(tree.db, tree.base, size));
      return consistencyProof(from, to, roots).map((hash) => hash.toBase64());
    };
    return whole(null, () => transaction<string[] | null>(tree.db, read, "DEFERRED"));
  }

  async tile(node: string | null, place: TilePlace, width: number): Promise<Uint8Array | null> {
    const tree = this.#treeOf(node);
    if (tree === null) return null;
    const read = () => {
      const size = newestHead(tree.db)?.size ?? 0;
      if (width > widthIn(size, place)) return null;
      return tilesOf(tree.db, tree.base, size)(place).slice(0, width * HASH_BYTES);
    };
    return whole(null, () => transaction<Uint8Array | null>(tree.db, read, "DEFERRED"));
  }

  async sign(text: string): Promise<string> {
    if (!text.slice(0, text.indexOf("\n")).includes(" ")) throw new Error("This could be taken for a checkpoint");
    const [main] = this.#trees();
    if (main === undefined) throw new Error("The log has no tree yet");
    return signedNote(text, main.origin, this.deps.signer);
  }

  async keepWitnessed(node: string | null, { size, note, at }: TreeHeadNote): Promise<void> {
    const tree = this.#treeOf(node);
    if (tree === null) return;
    transaction<void>(tree.db, () => {
      if ((witnessedHead(tree.db)?.size ?? 0) > size) return;
      const put = "INSERT OR REPLACE INTO audit_tree_head (id, size, note, at) VALUES (2, ?, ?, ?)";
      tree.db.query(put).run(size, note, at);
    });
  }

  #treeOf(node: string | null): Tree | null {
    return this.#trees().find((tree) => tree.node === node) ?? null;
  }

  #trees(): Tree[] {
    return this.deps.logs.all().flatMap(({ node, db }) => {
      const start = treeStartOf(db);
      return start === null ? [] : [{ ...start, node, db }];
    });
  }
}

/** The newest checkpoint that witnesses have signed, where it covers the leaf; else the log's own. */
const headFor = (db: Database, index: number): TreeHeadNote | null =>
  [witnessedHead(db), newestHead(db)].find((head) => head !== null && head.size > index) ?? null;

const proofIn = (
  db: Database,
  base: number,
  { index, body }: { readonly index: number; readonly body: string },
): Proved => {
  const head = headFor(db, index);
  if (head === null) return { none: "unsigned" };
  const roots = subtreeRootsOf(tilesOf(db, base, head.size));
  // A record of this number in another log.
  if (!isSameHash(roots(0, index), leafHash(body))) return { none: "elsewhere" };
  const hashes = inclusionProof(index, head.size, roots);
  return { proof: proofText({ extra: body, index, hashes, checkpoint: head.note }) };
};

/** What is said where the tree is damaged. */
const whole = <T>(damaged: T, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenTree) return damaged;
    throw error;
  }
};
