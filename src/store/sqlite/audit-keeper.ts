import type { Database } from "bun:sqlite";
import type { AuditChain, ChainedRecord } from "./audit-chain";
import type { Checkpoints } from "./audit-checkpoints";
import { type DropOrder, markDropped } from "./audit-retention";
import type { AuditSigner } from "./audit-signer";
import { transaction, transactionsOf } from "./database";

/** For how long records may wait for a checkpoint. */
const CHECKPOINT_AFTER_MS = 60_000;

type AuditKeeperNeeds = {
  readonly db: Database;
  readonly chain: AuditChain;
  readonly checkpoints: Checkpoints;
  readonly signer: AuditSigner;
  readonly now: () => number;
  /** Throws when this process must record nothing any more. */
  readonly fence?: () => void;
};

/** Appends batches over one connection and signs checkpoints as it goes. */
export class AuditKeeper {
  readonly #commit: ReturnType<typeof transactionsOf>;
  #signedAt: number;

  constructor(private readonly deps: AuditKeeperNeeds) {
    this.#commit = transactionsOf(deps.db);
    this.#signedAt = deps.now();
  }

  /** On disk when it returns, and what it wrote; nothing of the batch is when it throws. */
  append(bodies: readonly string[]): ChainedRecord[] {
    const { chain, fence } = this.deps;
    const written: ChainedRecord[] = [];
    this.#commit<void>(() => {
      fence?.();
      chain.append(bodies, written);
    });
    chain.committed();
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
    const { db, chain, checkpoints } = this.deps;
    this.#signedAt = this.deps.now();
    // What signs knows its newest checkpoint, which is not to be relied on when this fails.
    chain.forget();
    if (chain.head().seq <= this.#newestCheckpoint()) return;
    transaction<void>(db, () => checkpoints.sign(chain.head()));
  }

  /** Writes for the sake of writing: throws while the disk does not take it. */
  probe(): void {
    const { db, chain, now } = this.deps;
    transaction<void>(db, () => {
      chain.head();
      db.query("INSERT OR REPLACE INTO audit_probe (id, at) VALUES (1, ?)").run(now());
    });
  }

  #newestCheckpoint(): number {
    const newest = "SELECT coalesce(max(seq), 0) AS seq FROM audit_checkpoint";
    return this.deps.db.query<{ seq: number }, []>(newest).get()?.seq ?? 0;
  }
}
