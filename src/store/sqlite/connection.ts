import type { Database } from "bun:sqlite";
import { count, eq, inArray, sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { SerialisedRecord } from "#store/port";
import type { ChangeSubject } from "#store/tables";
import type { AuditChain } from "./audit-chain";
import { BUSY_MS, isBusy, type Synchronous, transaction, unsynced, withPatience } from "./database";
import { tables } from "./schema";

/** How long the main thread may stand still for a lock where it need not, and how soon it asks again. */
const PATIENCE_MS = 5;
const RETRY_MS = 20;

/** The main thread's connection: queries, and changes of governance with their audit records. */
export class Connection {
  readonly queries: BunSQLiteDatabase;
  /** Set when the process is about to end: upkeep that takes long stops after the piece it is at. */
  isStopping = false;
  readonly #revision: (subject: ChangeSubject) => number;
  #noting: Noting | null = null;

  constructor(
    readonly db: Database,
    readonly chain: AuditChain,
    /** Whether this process records calls over the same write-ahead log. */
    private readonly hasRecords = true,
  ) {
    this.queries = drizzle(db);
    const { revision } = tables;
    const current = this.queries
      .select()
      .from(revision)
      .where(eq(revision.subject, sql.placeholder("subject")))
      .prepare();
    this.#revision = (subject) => current.get({ subject })?.value ?? 0;
  }

  /** Of the subject's last change. */
  revision(subject: ChangeSubject = "all"): number {
    return this.#revision(subject);
  }

  /**
   * A change and its record, or neither. `work` gets the revision the change makes and says whether it changed
   * anything; when it did not, nothing is written.
   */
  change(subject: ChangeSubject, record: SerialisedRecord, work: (revision: number) => boolean): boolean {
    return this.#commit(subject, (next) => (work(next) ? record : null));
  }

  /** A change whose record says what only the change itself brings out. Null for none: then nothing may be written. */
  changeAs(subject: ChangeSubject, work: (revision: number) => SerialisedRecord | null): boolean {
    return this.#commit(subject, work);
  }

  /**
   * A change that does not wait for the disk by itself: the next commit that does takes it along, because both are in
   * one write-ahead log. For what is taken in where calls are served: no call is answered without a later commit.
   */
  changeSoon(subject: ChangeSubject, record: SerialisedRecord, work: (revision: number) => boolean): boolean {
    if (!this.hasRecords) return this.change(subject, record, work);
    return unsynced<boolean>(this.db, () => this.change(subject, record, work));
  }

  /**
   * Writes what is no change of governance, all or nothing: no record, no new revision, no wait for the disk. For what
   * is written while calls are served: it tries again until it gets the lock, and lets them go on meanwhile.
   */
  writeSoon<T>(work: () => Synchronous<T>): Promise<T> {
    return writeSoon<T>(this.db, work);
  }

  #commit(subject: ChangeSubject, work: (revision: number) => SerialisedRecord | null): boolean {
    return transaction<boolean>(this.db, () => {
      const next = this.revision() + 1;
      const record = work(next);
      if (record === null) return false;
      this.#noting ??= noting(this.queries);
      this.#noting.raise.run({ subject, next });
      const { seq } = this.chain.append([record]);
      this.#noting.send.run({ seq, record });
      return true;
    });
  }
}

/** See `Connection`. */
export const writeSoon = async <T>(db: Database, work: () => Synchronous<T>): Promise<T> => {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      return withPatience<T>(db, PATIENCE_MS, () => unsynced<T>(db, () => transaction<T>(db, work)));
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
    }
    await Bun.sleep(RETRY_MS);
  }
};

/** How many rows there are: in the transaction that adds one, nobody else adds any. */
export const counted = (queries: BunSQLiteDatabase, table: SQLiteTable): number =>
  queries.select({ rows: count() }).from(table).get()?.rows ?? 0;

/** What every change writes beside itself; each statement is made once. */
const noting = (queries: BunSQLiteDatabase) => {
  const { revision, outbox } = tables;
  const raised = inArray(revision.subject, ["all", sql.placeholder("subject")]);
  const next = sql`${sql.placeholder("next")}`;
  const sent = { seq: sql.placeholder("seq"), record: sql.placeholder("record") };
  return {
    raise: queries.update(revision).set({ value: next }).where(raised).prepare(),
    send: queries.insert(outbox).values(sent).prepare(),
  };
};
type Noting = ReturnType<typeof noting>;
