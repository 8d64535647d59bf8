import type { Database } from "bun:sqlite";
import type { AuditChain, Head, Written } from "./audit-chain";
import { type DropOrder, markDropped } from "./audit-retention";
import { type AuditSigner, checkpointText } from "./audit-signer";
import { transaction } from "./database";

/** How many records may follow the last checkpoint before the next is signed, and for how long. */
const CHECKPOINT_EVERY = 1_000;
const CHECKPOINT_AFTER_MS = 60_000;

type Deps = {
  readonly db: Database;
  readonly chain: AuditChain;
  readonly signer: AuditSigner;
  readonly now: () => number;
};

/** Appends batches over one connection and signs checkpoints as it goes. */
export class AuditKeeper {
  #checkpointed: number;
  #signedAt: number;

  constructor(private readonly deps: Deps) {
    this.#checkpointed = this.#newestCheckpoint();
    this.#signedAt = deps.now();
  }

  /** On disk when it returns, and what it wrote; nothing of the batch is when it throws. */
  append(bodies: readonly string[]): Written[] {
    const { db, chain } = this.deps;
    const written: Written[] = [];
    const signed = transaction<Head | null>(db, () => {
      const head = chain.append(bodies, written);
      return head.seq - this.#checkpointed >= CHECKPOINT_EVERY ? this.#sign(head) : null;
    });
    this.#remember(signed);
    return written;
  }

  /** Marks months as dropped, on record. False when they are not to be dropped any more. */
  drop(order: DropOrder): boolean {
    return markDropped(this.deps, order);
  }

  /** Signs a checkpoint when records have waited for one long enough. */
  tick(): void {
    if (this.deps.now() - this.#signedAt >= CHECKPOINT_AFTER_MS) this.checkpoint();
  }

  /** Signs a checkpoint unless the newest record has one. */
  checkpoint(): void {
    const { db, chain } = this.deps;
    this.#signedAt = this.deps.now();
    if (chain.head().seq <= this.#newestCheckpoint()) return;
    this.#remember(transaction<Head | null>(db, () => this.#sign(chain.head())));
  }

  /** Writes for the sake of writing: throws while the disk does not take it. */
  probe(): void {
    const { db, chain, now } = this.deps;
    transaction<void>(db, () => {
      chain.head();
      db.query("INSERT OR REPLACE INTO audit_probe (id, at) VALUES (1, ?)").run(now());
    });
  }

  #sign(head: Head): Head {
    const { db, signer, now } = this.deps;
    const at = now();
    const insert = "INSERT OR IGNORE INTO audit_checkpoint (seq, hash, at, key_id, signature) VALUES (?, ?, ?, ?, ?)";
    const { keyId, signature } = signer.sign(checkpointText(head, at));
    db.query(insert).run(head.seq, head.hash, at, keyId, signature);
    return head;
  }

  #remember(signed: Head | null): void {
    if (signed === null) return;
    this.#checkpointed = signed.seq;
    this.#signedAt = this.deps.now();
  }

  #newestCheckpoint(): number {
    const newest = "SELECT coalesce(max(seq), 0) AS seq FROM audit_checkpoint";
    return this.deps.db.query<{ seq: number }, []>(newest).get()?.seq ?? 0;
  }
}
