import type { Database, Statement } from "bun:sqlite";
import { GENESIS, type Head } from "#store/audit-link";
import { type AuditSigner, checkpointText, headText } from "./audit-signer";
import { AuditTree } from "./audit-tree";
import { userVersion } from "./database";

/*
 * Checkpoints sign the end of the log, each the one before it too, and one row signs which of them is the newest. They
 * are written in the transaction of the record they sign, at fixed places, so that verification knows where there must
 * be one, however the process ended: see audit-verify-checkpoints.ts for what counts as a fault.
 */

/** More records than these never lie behind the newest checkpoint. */
export const CHECKPOINT_EVERY = 1_000;
/** The last record of a hub that stopped in order. It is signed as it is written. */
export const STOP_KIND = "system.stop";
/** Months go with it, and the tree's hashes of their last records are written with checkpoints only. */
const DROP_KIND = "audit.drop";
/** The version of the database since which checkpoints are chained. */
export const CHAINED_VERSION = 20;

/** In place of the checkpoint before: there should have been one, or it is not the one the newest was known to be. */
export const LOST = "lost";
/** The first chained checkpoint of a log that has older ones, or none although it has records. Signed by the migration only. */
export const begins = (digest: string): string => `begins:${digest}`;

export type Checkpoint = Head & {
  readonly at: number;
  readonly key_id: string;
  readonly signature: string;
  /** Absent before the migration, null in checkpoints of before. */
  readonly prev?: string | null;
};
/** Which checkpoint is the newest. */
export type SignedHead = {
  readonly seq: number;
  readonly checkpoint: string;
  readonly key_id: string;
  readonly signature: string;
};

export const signedText = (checkpoint: Head & Pick<Checkpoint, "at" | "prev">): string =>
  checkpointText(checkpoint, checkpoint.at, checkpoint.prev ?? null);

/** What the next checkpoint names this one by. */
export const digestOf = (checkpoint: Head & Pick<Checkpoint, "at" | "prev">): string =>
  Bun.SHA256.hash(signedText(checkpoint), "hex");

/** Whether checkpoints of this database are chained, by its version. */
export const isChained = (db: Database): boolean => userVersion(db) >= CHAINED_VERSION;

export const signedHead = (db: Database): SignedHead | null =>
  db.query<SignedHead, []>("SELECT seq, checkpoint, key_id, signature FROM audit_head").get();

/** Signs over one connection. Every method must run inside that connection's IMMEDIATE transaction. */
export class Checkpoints {
  readonly #newest: Statement<Checkpoint, []>;
  readonly #insert: Statement<unknown, (string | number)[]>;
  readonly #tree: AuditTree;
  #newestSeq: number | null = null;

  constructor(
    private readonly db: Database,
    private readonly signer: AuditSigner,
    private readonly now: () => number,
  ) {
    this.#tree = new AuditTree(db, signer);
    this.#newest = db.prepare("SELECT * FROM audit_checkpoint ORDER BY seq DESC LIMIT 1");
    this.#insert = db.prepare(
      "INSERT OR REPLACE INTO audit_checkpoint (seq, hash, at, key_id, signature, prev) VALUES (?, ?, ?, ?, ?, ?)",
    );
  }

  /** Before records are appended to `head`. No record without a key: a log without one has lost it. */
  begin(head: Head): void {
    this.signer.make();
    this.#newestSeq = this.#newest.get()?.seq ?? null;
    this.#tree.begin(head);
  }

  /** After each record; `head` is its place and hash. */
  after(head: Head, kind: string, body: string): void {
    this.#tree.add(head, body);
    const newest = this.#newestSeq;
    const isDue = newest === null || head.seq - newest >= CHECKPOINT_EVERY || this.#tree.isNew;
    if (isDue || kind === STOP_KIND || kind === DROP_KIND) this.#sign(head);
  }

  /** Signs the end of the log unless it is signed. */
  sign(head: Head): void {
    this.begin(head);
    if (head.seq > (this.#newestSeq ?? 0)) this.#sign(head);
  }

  /** Begins to chain where there are records already. The end's own checkpoint of before, if any, gives way. */
  beginChain(head: Head): void {
    if (head.seq === 0) return;
    const before = "SELECT * FROM audit_checkpoint WHERE seq < ? ORDER BY seq DESC LIMIT 1";
    const last = this.db.query<Checkpoint, [number]>(before).get(head.seq);
    this.#put(head, begins(last === null ? GENESIS : digestOf(last)));
  }

  #sign(head: Head): void {
    this.#put(head, this.#before(head));
    this.#newestSeq = head.seq;
  }

  /**
   * Nothing is chained to what may have been tampered with: who takes checkpoints away must not get them replaced by the
   * next one. That the log has lost some stays in it, signed.
   */
  #before(head: Head): string {
    const [last, known] = [this.#newest.get(), signedHead(this.db)];
    if (last === null) return known === null && head.seq === 1 ? GENESIS : LOST;
    const digest = digestOf(last);
    if (known?.checkpoint !== digest || typeof last.prev !== "string") return LOST;
    return this.signer.isSigned(headText(known.seq, digest), known.signature) ? digest : LOST;
  }

  #put(head: Head, prev: string): void {
    const at = this.now();
    const { keyId, signature } = this.signer.sign(checkpointText(head, at, prev));
    this.#insert.run(head.seq, head.hash, at, keyId, signature, prev);
    this.#tree.sign(at);
    const digest = digestOf({ ...head, at, prev });
    const put = "INSERT OR REPLACE INTO audit_head (id, seq, checkpoint, key_id, signature) VALUES (1, ?, ?, ?, ?)";
    const signed = this.signer.sign(headText(head.seq, digest)).signature;
    this.db.query(put).run(head.seq, digest, keyId, signed);
  }
}
