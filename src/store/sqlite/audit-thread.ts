import type { Database, Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import { AuditChain } from "./audit-chain";
import { Checkpoints } from "./audit-checkpoints";
import { AuditKeeper } from "./audit-keeper";
import { Clearing, type DropOrder } from "./audit-retention";
import { AuditSigner } from "./audit-signer";
import { CallIndexer } from "./call-indexer";
import { type Durability, isBusy, openDatabase } from "./database";
import { identityOf, logFenceOf } from "./node-log";
import type { Member } from "./nodes";

export type ThreadSettings = {
  readonly database: string;
  readonly auditKey: string;
  readonly durability: Durability;
  /** The serving process whose records are written; null for none that is one. */
  readonly member?: Member | null;
};

const TICK_MS = 2_000;
/**
 * When nothing was appended for so long, the WAL gives its space back. Not sooner: a commit that makes the file longer
 * costs twice what one costs that writes over what is there, for the file system then writes its own journal too.
 */
const IDLE_MS = 600_000;
/** Pages in the WAL that are to be copied back under load: SQLite's own default, a few milliseconds' work. */
const WAL_LIMIT_PAGES = 1_000;
/** How often, in batches, the WAL is looked at. */
const LOOK_EVERY = 64;
/** For a batch's own pages: what was written is hardly ever read again here. */
const CACHE_KIB = 2_048;
/** What other processes have written is looked at after so long, and what came of it is written, unless somebody asks. */
const INDEX_AFTER_MS = 250;
/** Or when as many records wait: looked at together, each costs half of what it costs alone. */
const INDEX_TOGETHER = 32;
const WRITE_AFTER_MS = 10_000;

/**
 * Between two slices of retention the thread is free for so long at least, and for so many times what the slice took:
 * records that arrived during one are written before the next begins.
 */
const CLEAR_PAUSE_MS = 4;
const CLEAR_PAUSE_TIMES = 3;
/** Some seconds after a start, what an earlier process left is gone on with. */
const CLEAR_AFTER_START_MS = 3_000;
const CLEAR_WHEN_BUSY_MS = 1_000;

type WalState = { readonly log: number; readonly checkpointed: number };

/** What the writer thread does: it owns the commit connection, and copies the WAL back when nobody waits. */
export class AuditThread {
  readonly #db: Database;
  readonly #keeper: AuditKeeper;
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #indexer: CallIndexer;
  #indexing: ReturnType<typeof setTimeout> | null = null;
  /** Copies nothing. */
  readonly #walState: Statement<WalState, []>;
  #batches = 0;
  #lastAppend = 0;
  #indexWritten = Date.now();
  readonly #clearing: Clearing;
  #clearingSoon: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly settings: ThreadSettings) {
    const { database, durability, auditKey, member = null } = settings;
    // Commits never stop to copy the WAL: that is done between them.
    this.#db = openDatabase(database, { durability, autocheckpoint: 0, cacheKib: CACHE_KIB });
    this.#walState = this.#db.prepare("PRAGMA wal_checkpoint(NOOP)");
    const signer = new AuditSigner(auditKey);
    signer.make(); // a service that cannot have a key says so at its start
    const checkpoints = new Checkpoints(this.#db, signer, Date.now);
    const chain = new AuditChain(this.#db, checkpoints, member);
    this.#keeper = new AuditKeeper({
      db: this.#db,
      chain,
      checkpoints,
      signer,
      now: Date.now,
      ...(member !== null && identityOf(this.#db) !== null && { fence: logFenceOf(this.#db, member.epoch) }),
    });
    this.#indexer = new CallIndexer(this.#db);
    this.#clearing = new Clearing(this.#db, Date.now);
    this.#indexSoon();
    this.#clearSoon(CLEAR_AFTER_START_MS);
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  append(bodies: readonly string[]): void {
    this.#indexer.pass(this.#keeper.append(bodies));
    this.#lastAppend = Date.now();
  }

  /** For somebody who waits for it. */
  index(): void {
    this.#indexer.catchUp();
    this.#indexWritten = Date.now();
  }

  /** Marks months as dropped and begins to remove them. */
  drop(order: DropOrder): void {
    try {
      if (this.#keeper.drop(order)) this.#clearSoon(CLEAR_PAUSE_MS);
    } catch (error) {
      // Nothing was marked, and who asked sees that; it is asked for again.
      if (!isBusy(error)) throw error;
    }
  }

  probe(): void {
    this.#keeper.probe();
  }

  flush(): void {
    this.#keeper.checkpoint();
  }

  /**
   * After a batch was answered: looks at what was written when that is enough, and keeps the WAL from growing under
   * steady load.
   */
  afterBatch(): void {
    if (this.#indexer.waiting >= INDEX_TOGETHER) this.#indexSlice();
    else this.#indexSoon();
    this.#lookAtWal();
  }

  #lookAtWal(): void {
    this.#batches += 1;
    if (this.#batches % LOOK_EVERY !== 0) return;
    if (this.#walPages() > WAL_LIMIT_PAGES) this.#copyWal("PASSIVE");
  }

  /** Signs what is unsigned and lets go of the database; throws when the signature could not be written. */
  close(): void {
    clearInterval(this.#ticking);
    if (this.#indexing !== null) clearTimeout(this.#indexing);
    if (this.#clearingSoon !== null) clearTimeout(this.#clearingSoon);
    try {
      this.#keeper.checkpoint();
      this.#writeIndex();
    } finally {
      this.#db.close();
    }
  }

  /** What is not written is read from the log again at the next start. */
  #writeIndex(): void {
    try {
      this.#indexer.write();
    } catch (error) {
      if (!isBusy(error)) this.upkeepFailed(error);
    }
  }

  /** What others wrote, or was too much at a time. A slice after the other: batches that come meanwhile go between. */
  #indexSoon(afterMs = INDEX_AFTER_MS): void {
    this.#indexing ??= setTimeout(() => {
      this.#indexing = null;
      if (this.#indexSlice()) this.#indexSoon(0);
    }, afterMs);
  }

  #clearSoon(afterMs: number): void {
    this.#clearingSoon ??= setTimeout(() => {
      this.#clearingSoon = null;
      this.#clearSlice();
    }, afterMs);
  }

  /** What fails for another reason than a lock waits for the next start, or the next month. */
  #clearSlice(): void {
    const begun = performance.now();
    try {
      if (!this.#clearing.slice()) return;
      this.#lookAtWal();
      this.#clearSoon(Math.max(CLEAR_PAUSE_MS, CLEAR_PAUSE_TIMES * (performance.now() - begun)));
    } catch (error) {
      if (isBusy(error)) this.#clearSoon(CLEAR_WHEN_BUSY_MS);
      else this.upkeepFailed(error);
    }
  }

  /** Whether there may be more. What fails is tried again in a while. */
  #indexSlice(): boolean {
    try {
      if (this.#indexer.slice()) return true;
      if (Date.now() - this.#indexWritten >= WRITE_AFTER_MS) this.index();
    } catch (error) {
      if (!isBusy(error)) this.upkeepFailed(error);
      this.#indexSoon();
    }
    return false;
  }

  /** Upkeep that fails is tried again at the next tick; that the disk is at fault shows in the next append. */
  #tick(): void {
    try {
      this.#keeper.tick();
      this.#indexSoon();
      const isIdle = Date.now() - this.#lastAppend >= IDLE_MS;
      if (isIdle ? this.#walBytes() > 0 : this.#walPages() > 0) this.#copyWal(isIdle ? "TRUNCATE" : "PASSIVE");
    } catch (error) {
      if (!isBusy(error)) this.upkeepFailed(error);
    }
  }

  /** Pages that were not copied back yet; the file may be longer. */
  #walPages(): number {
    const wal = this.#walState.get();
    return wal === null ? 0 : wal.log - wal.checkpointed;
  }

  /** The main thread's connection writes there too, and leaves the copying to us. */
  #walBytes(): number {
    return statSync(`${this.settings.database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #copyWal(mode: "PASSIVE" | "TRUNCATE"): void {
    // TRUNCATE waits for readers, and an append must not wait behind it.
    if (mode === "TRUNCATE") this.#db.run("PRAGMA busy_timeout = 50");
    try {
      this.#db.query(`PRAGMA wal_checkpoint(${mode})`).get();
    } finally {
      if (mode === "TRUNCATE") this.#db.run("PRAGMA busy_timeout = 5000");
    }
  }

  /** Replaced by the worker, which tells the main thread. */
  upkeepFailed: (error: unknown) => void = () => {};
}
