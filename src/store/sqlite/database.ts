import { Database } from "bun:sqlite";
import { createFile } from "#platform/data-directory";

/** `full` survives the loss of power, `normal` the death of the process only. */
export type Durability = "full" | "normal";

export type OpenOptions = {
  readonly durability: Durability;
  /** WAL pages after which a commit copies them into the database; 0 leaves that to somebody else. */
  readonly autocheckpoint: number;
  readonly cacheKib: number;
};

export const BUSY_MS = 5_000;
const MMAP_BYTES = 268_435_456;

/** One connection, set up alike everywhere. Makes the file, readable by its owner only, when there is none. */
export const openDatabase = (file: string, options: OpenOptions): Database => {
  createFile(file, "");
  const db = new Database(file, { readwrite: true, create: false, strict: true });
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    // Has an effect only while the file is empty, and must come before WAL.
    db.run("PRAGMA auto_vacuum = INCREMENTAL");
    enterWal(db);
    db.run(`PRAGMA synchronous = ${options.durability === "full" ? "FULL" : "NORMAL"}`);
    db.run("PRAGMA foreign_keys = ON");
    db.run(`PRAGMA cache_size = -${options.cacheKib}`);
    db.run(`PRAGMA mmap_size = ${MMAP_BYTES}`);
    db.run("PRAGMA temp_store = MEMORY");
    db.run(`PRAGMA wal_autocheckpoint = ${options.autocheckpoint}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Changing the journal mode ignores the busy timeout, so two processes at the same new file need patience here. */
const enterWal = (db: Database): void => {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      const row = db.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get();
      if (row?.journal_mode === "wal") return;
      throw new Error(`SQLite journal mode is ${row?.journal_mode ?? "unknown"}; this file system has no WAL`);
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Bun.sleepSync(5);
    }
  }
};

/** SQLITE_BUSY and its extended forms. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");

export type Synchronous<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Everything in `work` or nothing. `work` must not wait: SQLite would commit at the first await, which is why
 * the type refuses a promise.
 */
export const transaction = <T>(
  db: Database,
  work: () => Synchronous<T>,
  mode: "IMMEDIATE" | "DEFERRED" = "IMMEDIATE",
): Synchronous<T> => bracketed<T>(db, { begin: () => db.run(`BEGIN ${mode}`), commit: () => db.run("COMMIT") }, work);

/**
 * `transaction` for a connection whose every commit somebody waits for: both statements are made once. Alone that saves
 * a microsecond, but eight where the caches hold what else the process does.
 */
export const transactionsOf = (db: Database): (<T>(work: () => Synchronous<T>) => Synchronous<T>) => {
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  const brackets = { begin: () => begin.run(), commit: () => commit.run() };
  return <T>(work: () => Synchronous<T>) => bracketed<T>(db, brackets, work);
};

type Brackets = { readonly begin: () => unknown; readonly commit: () => unknown };

const bracketed = <T>(db: Database, { begin, commit }: Brackets, work: () => Synchronous<T>): Synchronous<T> => {
  begin();
  try {
    const result = work();
    commit();
    return result;
  } catch (error) {
    // A full disk makes SQLite roll back by itself.
    if (db.inTransaction) db.run("ROLLBACK");
    throw error;
  }
};

/** Does not wait for the disk: what the loss of power takes must be there to be done again. The next commit that does wait takes it along. */
export const unsynced = <T>(db: Database, work: () => Synchronous<T>): Synchronous<T> => {
  const before = db.query<{ synchronous: number }, []>("PRAGMA synchronous").get();
  db.run("PRAGMA synchronous = NORMAL");
  try {
    return work();
  } finally {
    db.run(`PRAGMA synchronous = ${before?.synchronous ?? "FULL"}`);
  }
};

/** Waits for a lock that long at most, and not as long as usual. */
export const withPatience = <T>(db: Database, ms: number, work: () => Synchronous<T>): Synchronous<T> => {
  db.run(`PRAGMA busy_timeout = ${ms}`);
  try {
    return work();
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
};

export const userVersion = (db: Database): number =>
  db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
