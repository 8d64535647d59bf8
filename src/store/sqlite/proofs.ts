import type { Database } from "bun:sqlite";
import type { NoProof, ProofStore, TreeHeadNote, TreeLog } from "#store/proof-port";
import { consistencyProof, HASH_BYTES, inclusionProof } from "#store/tlog/merkle";
import { keyText } from "#store/tlog/note";
import { proofText } from "#store/tlog/proof";
import { subtreeRootsOf, type TilePlace, widthIn } from "#store/tlog/tile";
import type { AuditSigner } from "./audit-signer";
import { logKey, newestHead, signedNote, type TreeStart, tilesOf, treeStartOf, witnessedHead } from "./audit-tree";
import { transaction } from "./database";
import type { NodeLogs } from "./node-logs";

type ProofNeeds = { readonly logs: NodeLogs; readonly signer: AuditSigner };
type Tree = TreeStart & { readonly node: string | null; readonly db: Database };

/** Reads trees; each answer is of one moment. */
export class SqliteProofs implements ProofStore {
  constructor(private readonly deps: ProofNeeds) {}

  async logs(): Promise<TreeLog[]> {
    return this.#trees().map(({ node, db, origin }) => ({
      node,
      origin,
      key: keyText(logKey(origin, this.deps.signer)),
      head: newestHead(db),
      witnessed: witnessedHead(db),
    }));
  }

  async prove({ node, seq, body }: { node: string | null; seq: number; body: string }): Promise<string | NoProof> {
    const tree = this.#treeOf(node);
    if (tree === null) return "elsewhere";
    return transaction<string | NoProof>(
      tree.db,
      () => {
        const index = seq - tree.base - 1;
        if (index < 0) return "before_tree";
        const head = headFor(tree.db, index);
        if (head === null) return "unsigned";
        const hashes = inclusionProof(index, head.size, subtreeRootsOf(tilesOf(tree.db, tree.base, head.size)));
        return proofText({ extra: body, index, hashes, checkpoint: head.note });
      },
      "DEFERRED",
    );
  }

  async consistency(node: string | null, from: number, to: number): Promise<string[] | null> {
    const tree = this.#treeOf(node);
    if (tree === null) return null;
    return transaction<string[] | null>(
      tree.db,
      () => {
        const size = newestHead(tree.db)?.size ?? 0;
        if (from < 1 || from > to || to > size) return null;
        const roots = subtreeRootsOf(tilesOf(tree.db, tree.base, size));
        return consistencyProof(from, to, roots).map((hash) => hash.toBase64());
      },
      "DEFERRED",
    );
  }

  async tile(node: string | null, place: TilePlace, width: number): Promise<Uint8Array | null> {
    const tree = this.#treeOf(node);
    if (tree === null) return null;
    return transaction<Uint8Array | null>(
      tree.db,
      () => {
        const size = newestHead(tree.db)?.size ?? 0;
        if (width > widthIn(size, place)) return null;
        return tilesOf(tree.db, tree.base, size)(place).slice(0, width * HASH_BYTES);
      },
      "DEFERRED",
    );
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

/** One that witnesses have signed, where it covers the leaf. */
const headFor = (db: Database, index: number): TreeHeadNote | null =>
  [witnessedHead(db), newestHead(db)].find((head) => head !== null && head.size > index) ?? null;
