import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The one directory everything is kept in, by its parts. */
export type DataDirectory = {
  readonly path: string;
  readonly database: string;
  readonly masterKey: string;
  readonly auditKey: string;
  readonly backups: string;
  readonly lock: string;
  /** A file each for the processes of stdio tool servers, so that a hub that was killed leaves none behind. */
  readonly children: string;
};

/** Another process serves from this directory; exit code 5. */
export class DataDirectoryLocked extends Error {
  override readonly name = "DataDirectoryLocked";
  constructor(path: string) {
    super(`Another process is serving from ${path}`);
  }
}

/** Makes the directory, for its owner only, when there is none; the mode of an existing one is the operator's business. */
export const openDataDirectory = (path: string): DataDirectory => {
  const root = resolve(path);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return {
    path: root,
    database: join(root, "guardhouse.db"),
    masterKey: join(root, "master.key"),
    auditKey: join(root, "audit-key.pem"),
    backups: join(root, "backups"),
    lock: join(root, "serve.lock"),
    children: join(root, "children"),
  };
};

/** Writes a file (mode 0600) unless it exists; whole or not at all, whoever else tries at the same moment. */
export const createFile = (file: string, content: string): void => {
  if (existsSync(file)) return;
  const draft = `${file}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, content, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
};

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const MASTER_KEY_BYTES = 32;

/** The key that seals secrets: `given` (base64, from the environment or a file elsewhere), else the directory's own, made once. */
export const masterKey = (directory: DataDirectory, given?: string): Uint8Array => {
  if (given === undefined) createFile(directory.masterKey, `${randomBytes(MASTER_KEY_BYTES).toString("base64")}\n`);
  const key = Buffer.from((given ?? readFileSync(directory.masterKey, "utf8")).trim(), "base64");
  if (key.length !== MASTER_KEY_BYTES) {
    throw new Error(
      `The master key${given === undefined ? ` in ${directory.masterKey}` : ""} is not 32 bytes of base64`,
    );
  }
  return key;
};

export type ServeLock = { release(): void };

/** Locks in force: a connection nobody holds would be collected, and its lock with it. */
const held = new Set<Database>();

/** Long enough that somebody merely asking `isLocked` does not stop a start. */
const LOCK_WAIT_MS = 100;

/**
 * Takes the directory for one serving process. The lock is an open exclusive transaction on a file of its own:
 * the operating system lets go of it when the process dies, however it dies. Throws `DataDirectoryLocked`.
 * Nothing else in the process may open that file: closing it anywhere would let go of the lock.
 */
export const lockForServing = (directory: DataDirectory): ServeLock => {
  createFile(directory.lock, "");
  const db = new Database(directory.lock, { readwrite: true, create: false });
  try {
    db.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    throw isLock(error) ? new DataDirectoryLocked(directory.path) : error;
  }
  held.add(db);
  return {
    release: () => {
      held.delete(db);
      db.close();
    },
  };
};

/** Whether a process serves from the directory right now. */
export const isLocked = (directory: DataDirectory): boolean => {
  if (!existsSync(directory.lock)) return false;
  const db = new Database(directory.lock, { readwrite: true, create: false });
  try {
    db.run("PRAGMA busy_timeout = 0");
    db.query("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (isLock(error)) return true;
    throw error;
  } finally {
    db.close();
  }
};

const isLock = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
