import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createFile, type DataDirectory, lockForBackup, syncDirectory } from "#platform/data-directory";
import type { BackupMadeBy, BackupManifest, MadeBackup } from "#store/backup-port";
import { stateOf } from "./audit-state";
import { ArchiveWriter } from "./backup-archive";
import { hmacText, manifestText, nodePart, PART, sealText } from "./backup-manifest";
import { VERIFYING } from "./backup-verify";
import { BUSY_MS, userVersion } from "./database";
import { nodeLogFile, nodesWithLog } from "./node-log";
import { keyIdsIn } from "./sealed-values";

export type BackupOrder = {
  /** Where the file goes. Null for a name of its own among the backups of the data directory. */
  readonly target: string | null;
  readonly madeBy: BackupMadeBy;
  readonly version: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** What it is signed with: the id of the master key, and the key derived from it. */
  readonly signing: { readonly keyId: string; readonly key: string };
};

/** Less free space than the backup and the audit log need. */
export class NoRoomForBackup extends Error {
  override readonly name = "NoRoomForBackup";
}

/** Space left for the audit log: without it, calls are refused. */
const SPARE_BYTES = 268_435_456;
/** Temporary files; the next backup deletes those that a crash left. */
const DRAFT = /^\.(?:snapshot|draft)-[0-9a-f]{12}(?:-\d+)?$/;

/** Somebody else may be at it right now. */
const VERIFIED_BY_NOW_MS = 86_400_000;

/** `guardhouse-20261121T233332Z-1f2e.tar`: ordered by time, and never one that is there. */
export const backupName = (now: number): string => {
  const moment = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `guardhouse-${moment}Z-${randomBytes(2).toString("hex")}.tar`;
};

/**
 * Copies the database as of one moment, while it is in use: readers and writers continue, and only the
 * write-ahead log waits to be copied back. Whole or not at all, its owner's alone. Blocks its thread.
 */
export const makeBackup = (directory: DataDirectory, order: BackupOrder): MadeBackup => {
  const lock = lockForBackup(directory);
  try {
    return make(directory, order);
  } finally {
    lock.release();
  }
};

const make = (directory: DataDirectory, order: BackupOrder): MadeBackup => {
  const target = resolve(order.target ?? join(directory.backups, backupName(order.now)));
  const folder = dirname(target);
  refuseExisting(target);
  if (order.target === null) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    clearOut(folder);
  }
  requireRoom(directory, folder);
  const mark = randomBytes(6).toString("hex");
  const snapshot = join(folder, `.snapshot-${mark}`);
  const nodeSnapshots = nodesWithLog(directory).map((node, index) => ({ node, file: `${snapshot}-${index}` }));
  const draft = join(folder, `.draft-${mark}`);
  try {
    copyDatabase(directory.database, snapshot);
    // After the main log, which says of the others how far they went: they may have gone on, but not lack anything.
    for (const { node, file } of nodeSnapshots) copyDatabase(nodeLogFile(directory, node), file);
    const made = pack(directory, { snapshot, nodeSnapshots }, draft, order);
    refuseExisting(target);
    renameSync(draft, target);
    syncDirectory(folder);
    return { name: basename(target), ...made };
  } finally {
    const copies = [snapshot, ...nodeSnapshots.map(({ file }) => file)];
    for (const file of [...copies.flatMap((one) => [one, `${one}-journal`]), draft]) rmSync(file, { force: true });
  }
};

const refuseExisting = (target: string): void => {
  if (existsSync(target)) throw new Error(`${target} already exists; a backup never replaces a file`);
};

const clearOut = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOld = name.startsWith(VERIFYING) && Date.now() - statSync(path).mtimeMs > VERIFIED_BY_NOW_MS;
    if (DRAFT.test(name) || isOld) rmSync(path, { recursive: true, force: true });
  }
};

/** The copy and the file made of it lie side by side for a moment. */
const requireRoom = (directory: DataDirectory, folder: string): void => {
  const { bavail, bsize } = statfsSync(folder);
  const files = [directory.database, ...nodesWithLog(directory).map((node) => nodeLogFile(directory, node))];
  const needed = 2 * files.reduce((sum, file) => sum + statSync(file).size, 0) + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  const mib = (bytes: number) => Math.ceil(bytes / 1_048_576);
  throw new NoRoomForBackup(`A backup needs ${mib(needed)} MiB at ${folder}; there are ${mib(bavail * bsize)} MiB`);
};

const copyDatabase = (database: string, snapshot: string): void => {
  const db = new Database(database, { readwrite: true, create: false });
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    // Copying the WAL back is somebody else's work.
    db.run("PRAGMA wal_autocheckpoint = 0");
    // VACUUM INTO takes an empty file, and one we made has the right mode.
    createFile(snapshot, "");
    db.query("VACUUM INTO ?").run(snapshot);
  } finally {
    db.close();
  }
};

type Copies = {
  readonly snapshot: string;
  readonly nodeSnapshots: readonly { readonly node: string; readonly file: string }[];
};

const pack = (
  { auditKey }: DataDirectory,
  { snapshot, nodeSnapshots }: Copies,
  draft: string,
  { madeBy, version, now, signing }: BackupOrder,
): Omit<MadeBackup, "name"> => {
  const facts = factsOf(snapshot);
  const handle = openSync(draft, "wx", 0o600);
  try {
    const archive = new ArchiveWriter(handle, Math.floor(now / 1000));
    const parts = [archive.add({ name: PART.database, from: { file: snapshot } })];
    const hasKey = existsSync(auditKey);
    if (hasKey) parts.push(archive.add({ name: PART.auditKey, from: { file: auditKey } }));
    for (const { node, file } of nodeSnapshots) parts.push(archive.add({ name: nodePart(node), from: { file } }));
    const manifest: BackupManifest = {
      format: "guardhouse-backup",
      format_version: 1,
      created_at: new Date(now).toISOString(),
      made_by: madeBy,
      version,
      ...facts,
      audit_key_included: hasKey,
      master_key_included: false,
      parts,
    };
    const text = manifestText(manifest);
    const { sha256 } = archive.add({ name: PART.manifest, from: { text } });
    const hmac = hmacText(text, signing.keyId, signing.key);
    archive.add({ name: PART.seal, from: { text: sealText(sha256, Bun.SHA256.hash(hmac, "hex")) } });
    archive.add({ name: PART.hmac, from: { text: hmac } });
    return { ...archive.end(), manifest };
  } finally {
    closeSync(handle);
  }
};

/** Read off the copy, so that they are of the same moment. */
const factsOf = (file: string) => {
  const db = new Database(file, { readonly: true });
  try {
    return { schema_version: userVersion(db), audit: stateOf(db).head, master_key_ids: keyIdsIn(db) };
  } finally {
    db.close();
  }
};
