import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type DataDirectory,
  DataDirectoryLocked,
  lockForRestore,
  openDataDirectory,
  syncDirectory,
} from "#platform/data-directory";
import type { BackupKeys, BackupManifest, BackupReport } from "#store/backup-port";
import type { SerialisedRecord } from "#store/record";
import { AuditChain } from "./audit-chain";
import { Checkpoints } from "./audit-checkpoints";
import { AuditSigner } from "./audit-signer";
import { beginTreeAnew } from "./audit-tree";
import { NoRoomForBackup } from "./backup-make";
import { nodeOfPart, nodePart } from "./backup-manifest";
import { verifyInto } from "./backup-verify";
import { Connection } from "./connection";
import { isBusy, openDatabase, transaction } from "./database";
import { MIGRATIONS } from "./migrations";
import { nodeLogFile } from "./node-log";
import { endSessions, type GoodAgain, goodAgainIn } from "./restore-sessions";
import { asideName, commitSwap, markIn, settleSwap, stagingIn } from "./restore-swap";
import { upgrade } from "./upgrade";

/** The backup is not what was written; exit code 8. */
export class DamagedBackup extends Error {
  override readonly name = "DamagedBackup";
  constructor(readonly problems: readonly string[]) {
    super(`The backup is damaged: ${problems.join("; ")}`);
  }
}

export type RestoreOrder = {
  readonly file: string;
  /** Ends everybody's sessions and what people granted to programs. */
  readonly revokeSessions: boolean;
  /** Unix milliseconds. */
  readonly now: number;
  /** Says no by throwing, once the backup is known to be whole and before anything is changed. */
  readonly allow: (report: BackupReport & { readonly manifest: BackupManifest }) => void;
  /** What backups may be signed with. */
  readonly keys: BackupKeys;
  /** Goes into the restored audit log. */
  readonly record: (manifest: BackupManifest, good: GoodAgain) => SerialisedRecord;
};

export type Restored = {
  readonly manifest: BackupManifest;
  readonly records: number;
  readonly good: GoodAgain;
  /** Where the data that was there is now; null when there was none. */
  readonly aside: string | null;
  /** Of the database as it is now. */
  readonly schema_version: number;
};

/**
 * Puts a backup in place of the data. The caller holds the directory's lock for serving. A crash at any moment leaves
 * either the old data or the new.
 */
export const restoreBackup = async (directory: DataDirectory, order: RestoreOrder): Promise<Restored> => {
  settleSwap(directory);
  const lock = lockForRestore(directory);
  const staging = stagingIn(directory);
  try {
    rmSync(staging, { recursive: true, force: true });
    requireRoom(directory, order.file);
    mkdirSync(staging, { mode: 0o700 });
    const report = await verifyInto(order.file, staging, order.keys);
    const { manifest, records } = report;
    if (!report.ok || manifest === null) throw new DamagedBackup(report.problems);
    order.allow({ ...report, manifest });
    stageNodeLogs(directory, staging, manifest);
    const good = prepare(directory, openDataDirectory(staging), manifest, order);
    const aside = existsSync(directory.database) ? asideName(directory, order.now) : null;
    const alone = aloneWith(directory);
    try {
      commitSwap(directory, aside ?? asideName(directory, order.now));
    } finally {
      alone?.close();
    }
    return { manifest, records, good, aside: aside && join(directory.path, aside), schema_version: MIGRATIONS.length };
  } finally {
    // With the mark it is gone already; without, nothing of it counts.
    if (!existsSync(markIn(directory))) rmSync(staging, { recursive: true, force: true });
    lock.release();
  }
};

/** What is unpacked, and grows by being brought up to date. */
const requireRoom = ({ path }: DataDirectory, file: string): void => {
  const { bavail, bsize } = statfsSync(path);
  const needed = 2 * statSync(file).size;
  if (bavail * bsize < needed)
    throw new NoRoomForBackup(`Restoring needs ${Math.ceil(needed / 1_048_576)} MiB at ${path}`);
};

/** Also none where there are some: those that are here belong to the data that goes. */
const stageNodeLogs = ({ nodeLogs }: DataDirectory, staging: string, manifest: BackupManifest): void => {
  const nodes = manifest.parts.flatMap(({ name }) => nodeOfPart(name) ?? []);
  if (nodes.length === 0 && !existsSync(nodeLogs)) return;
  const staged = openDataDirectory(staging);
  mkdirSync(staged.nodeLogs, { mode: 0o700 });
  for (const node of nodes) renameSync(join(staging, nodePart(node)), nodeLogFile(staged, node));
  syncDirectory(staged.nodeLogs);
};

/** Brings the copy up to this version, ends sessions, and puts the restore on record, all before it is in force. */
const prepare = (
  here: DataDirectory,
  staged: DataDirectory,
  manifest: BackupManifest,
  { now, record, revokeSessions }: RestoreOrder,
): GoodAgain => {
  const db = openDatabase(staged.database, { durability: "full", autocheckpoint: 1_000, cacheKib: 16_384 });
  try {
    const signer = new AuditSigner(staged.auditKey);
    upgrade(db, { directory: staged, signer, now: () => now });
    const good = goodAgainIn(db, here.database, now);
    const chain = new AuditChain(db, new Checkpoints(db, signer, Date.now));
    transaction<void>(db, () => beginTreeAnew(db, chain.head(), now));
    const connection = new Connection(db, new AuditChain(db, new Checkpoints(db, signer, Date.now)));
    connection.change("all", record(manifest, good), (changed) => {
      if (revokeSessions) endSessions(db, changed);
      return true;
    });
    // All of it in one file, and on disk.
    const mode = db.query<{ journal_mode: string }, []>("PRAGMA journal_mode = DELETE").get()?.journal_mode;
    if (mode !== "delete") throw new Error("The restored database could not be put into one file");
    return good;
  } finally {
    db.close();
  }
};

/**
 * Makes sure that no command is at work in the old database and puts all of it into one file; what comes back keeps
 * others out while it is open. Null when there is none, or it is damaged: then it is moved as it lies.
 */
const aloneWith = ({ database, path }: DataDirectory): Database | null => {
  if (!existsSync(database)) return null;
  const db = new Database(database, { readwrite: true, create: false });
  try {
    db.run("PRAGMA busy_timeout = 2000");
    db.query("PRAGMA journal_mode = DELETE").get();
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) throw new DataDirectoryLocked(`A command is at work in ${path}; let it end first`);
    return null;
  }
};
