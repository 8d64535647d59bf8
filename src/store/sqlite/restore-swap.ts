import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { createFile, type DataDirectory, lockForRestore, syncDirectory } from "#platform/data-directory";
import { PART } from "./backup-manifest";

/*
 * How other data takes the place of what is there, by names in the data directory alone:
 *
 *   restore.staging/          the new, complete and on disk before anything else is touched
 *   restore.pending           from here on the new data is in force: the next process that opens the database finishes the swap
 *   before-restore-<time>/    where the old goes; never deleted
 *
 * Each step can be repeated, so it may be cut off anywhere: without the mark the old is there untouched, with it the
 * new is.
 */

const WAL = ["guardhouse.db-wal", "guardhouse.db-shm"];
const NODE_LOGS = "audit";
const SWAPPED = [PART.database, PART.auditKey];
const ASIDE = /^before-restore-[0-9TZ-]{1,40}$/;

export const stagingIn = ({ path }: DataDirectory): string => join(path, "restore.staging");
export const markIn = ({ path }: DataDirectory): string => join(path, "restore.pending");

/** A name for where the old goes that is not taken. `now` in Unix milliseconds. */
export const asideName = ({ path }: DataDirectory, now: number): string => {
  const moment = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  for (let copy = 1; ; copy += 1) {
    const name = `before-restore-${moment}Z${copy === 1 ? "" : `-${copy}`}`;
    if (!existsSync(join(path, name))) return name;
  }
};

/** From here on the new data is in force. The caller must be alone with the directory. */
export const commitSwap = (directory: DataDirectory, aside: string): void => {
  for (const part of SWAPPED) syncFile(join(stagingIn(directory), part));
  for (const name of stagedLogs(directory)) syncFile(name);
  syncDirectory(stagingIn(directory));
  createFile(markIn(directory), aside);
  syncDirectory(directory.path);
  finishSwap(directory);
};

const stagedLogs = (directory: DataDirectory): string[] => {
  const folder = join(stagingIn(directory), NODE_LOGS);
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

const syncFile = (file: string): void => {
  if (!existsSync(file)) return;
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/**
 * Ends a swap that was cut off; does nothing when there is none. Called before the database is opened: throws
 * `DataDirectoryLocked` when somebody is at it right now.
 */
export const settleSwap = (directory: DataDirectory): void => {
  if (!existsSync(markIn(directory))) return;
  const lock = lockForRestore(directory);
  try {
    if (existsSync(markIn(directory))) finishSwap(directory);
  } finally {
    lock.release();
  }
};

const finishSwap = (directory: DataDirectory): void => {
  const { path } = directory;
  const name = readFileSync(markIn(directory), "utf8");
  if (!ASIDE.test(name)) throw new Error(`${markIn(directory)} is not readable by this version`);
  const aside = join(path, name);
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  // An old write-ahead log beside the new database would be taken for the new one's.
  for (const part of WAL) if (existsSync(join(path, part))) renameSync(join(path, part), join(aside, part));
  for (const part of SWAPPED) replace(path, aside, part);
  replaceFolder(path, aside, NODE_LOGS);
  syncDirectory(aside);
  syncDirectory(path);
  rmSync(stagingIn(directory), { recursive: true, force: true });
  rmSync(markIn(directory));
  syncDirectory(path);
};

/** Nobody reads it while neither is there: that needs the database, and whoever opens it ends the swap first. */
const replaceFolder = (path: string, aside: string, part: string): void => {
  const staged = join(path, "restore.staging", part);
  if (!existsSync(staged)) return;
  const here = join(path, part);
  if (existsSync(here) && !existsSync(join(aside, part))) renameSync(here, join(aside, part));
  renameSync(staged, here);
};

/** The old gets a second name first, so that there is no moment without either. */
const replace = (path: string, aside: string, part: string): void => {
  const staged = join(path, "restore.staging", part);
  if (!existsSync(staged)) return; // done before it was cut off, or the backup has none
  const here = join(path, part);
  if (existsSync(here) && !existsSync(join(aside, part))) linkSync(here, join(aside, part));
  renameSync(staged, here);
};
