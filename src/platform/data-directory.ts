import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

/** The one directory everything is kept in, by its parts. */
export type DataDirectory = {
  readonly path: string;
  readonly database: string;
  readonly masterKey: string;
  /** The one that is to take its place, while values are sealed anew. */
  readonly nextMasterKey: string;
  /** Which PostgreSQL the configuration is in, and as which node this directory serves; none where it is here. */
  readonly elsewhere: string;
  readonly auditKey: string;
  /** There once checkpoints of the audit log are chained: a database of before that is an older one, put back. */
  readonly auditChained: string;
  /** The logs of processes that serve beside others, a database each. Made by the first of them. */
  readonly nodeLogs: string;
  readonly backups: string;
  /** Held while a backup is made. */
  readonly backupLock: string;
  /** Held during a restore. */
  readonly restoreLock: string;
  readonly lock: string;
  /** Figures of the serving process, for commands beside it: the first node's. */
  readonly serveStatus: string;
  /** Held while the master key is changed. */
  readonly keyLock: string;
  /** A file each for the processes of stdio tool servers, so that a hub that was killed leaves none behind: the first node's. */
  readonly children: string;
  /** Sockets over which several processes that serve use the tool servers one of them runs. */
  readonly toolSockets: string;
};

/** Another process does with this directory what only one may do at a time; exit code 5. */
export class DataDirectoryLocked extends Error {
  override readonly name = "DataDirectoryLocked";
}

/** Makes the directory, for its owner only, when there is none; the mode of an existing one is the operator's business. */
export const openDataDirectory = (path: string): DataDirectory => {
  const root = resolve(path);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return {
    path: root,
    database: join(root, "guardhouse.db"),
    masterKey: join(root, "master.key"),
    nextMasterKey: join(root, "master.key.next"),
    elsewhere: join(root, "configuration.json"),
    auditKey: join(root, "audit-key.pem"),
    auditChained: join(root, "audit-chained"),
    nodeLogs: join(root, "audit"),
    backups: join(root, "backups"),
    backupLock: join(root, "backup.lock"),
    restoreLock: join(root, "restore.lock"),
    lock: join(root, "serve.lock"),
    serveStatus: join(root, "serve.json"),
    keyLock: join(root, "keys.lock"),
    children: join(root, "children"),
    toolSockets: join(root, "tool-sockets"),
  };
};

/** Writes a file (mode 0600) unless it exists; whole or not at all, also when several processes try at the same time. */
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

/** Makes what was created, renamed or removed in a directory survive a loss of power. */
export const syncDirectory = (path: string): void => {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Where the notes about a node's stdio tool servers are. */
export const childrenOf = ({ children }: Pick<DataDirectory, "children">, node: string): string =>
  node === FIRST_NODE ? children : `${children}-${node}`;

const CHILDREN = /^children(?:-[a-z0-9-]+)?$/;

/** Those of every node that ever served from the directory. */
export const allChildren = ({ path }: Pick<DataDirectory, "path">): string[] =>
  readdirSync(path)
    .filter((name) => CHILDREN.test(name))
    .map((name) => join(path, name));

/** Where a node's figures are, for commands. */
export const serveStatusOf = ({ serveStatus }: Pick<DataDirectory, "serveStatus">, node: string): string =>
  node === FIRST_NODE ? serveStatus : serveStatus.replace(/\.json$/, `-${node}.json`);

/** The node that serves where one process does. */
export const FIRST_NODE = "0";

export type Lock = { release(): void };

/** Locks in force: a connection nobody holds would be collected, and its lock with it. */
const held = new Set<Database>();

/** Long enough that somebody merely asking `isLocked` does not stop a start. */
const LOCK_WAIT_MS = 100;

/**
 * A lock is an open exclusive transaction on a file of its own: the operating system lets go of it when the process
 * dies, however it dies. Nothing else in the process may open that file: closing it anywhere would let go of the lock.
 */
const acquire = (file: string, refusal: () => Error): Lock => {
  createFile(file, "");
  const db = new Database(file, { readwrite: true, create: false });
  try {
    db.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    throw isLock(error) ? refusal() : error;
  }
  held.add(db);
  return {
    release: () => {
      held.delete(db);
      db.close();
    },
  };
};

/**
 * Takes the directory for one serving process, or for one that starts others to serve. Throws `DataDirectoryLocked`, also
 * while one of those that an earlier one started serves to its end.
 */
export const lockForServing = ({ lock, path }: DataDirectory): Lock => {
  const refusal = () => new DataDirectoryLocked(`Another process is serving from ${path}`);
  const taken = acquire(lock, refusal);
  try {
    for (const name of readdirSync(path)) if (NODE_LOCK.test(name)) acquire(join(path, name), refusal).release();
    return taken;
  } catch (error) {
    taken.release();
    throw error;
  }
};

const NODE_LOCK = /^node-[a-z0-9-]+\.lock$/;

/**
 * Takes the place of one of the processes that serve for the one which has the directory. Throws `DataDirectoryLocked`
 * where another is that node, or nobody has the directory.
 */
export const lockForNode = (directory: DataDirectory, node: string): Lock => {
  const { path } = directory;
  if (!isLocked(directory)) throw new DataDirectoryLocked(`No process has ${path} and starts others to serve from it`);
  const refusal = () => new DataDirectoryLocked(`Another process serves as node ${node} from ${path}`);
  return acquire(join(path, `node-${node}.lock`), refusal);
};

/** For a change of the master key, also beside a serving process. Throws `DataDirectoryLocked`. */
export const lockForKeys = ({ keyLock, path }: DataDirectory): Lock =>
  acquire(keyLock, () => new DataDirectoryLocked(`Another process is changing the master key of ${path}`));

/** For a backup, also beside a serving process. Throws `DataDirectoryLocked`. */
export const lockForBackup = ({ backupLock, path }: DataDirectory): Lock =>
  acquire(backupLock, () => new DataDirectoryLocked(`Another backup of ${path} is being made`));

/** For a restore. Throws `DataDirectoryLocked`. */
export const lockForRestore = ({ restoreLock, path }: DataDirectory): Lock =>
  acquire(restoreLock, () => new DataDirectoryLocked(`Another process is restoring a backup in ${path}`));

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
