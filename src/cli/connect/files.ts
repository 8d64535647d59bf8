import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { CliExit, EXIT } from "#cli/exit";

/** No client has settings as large as this, in bytes. */
const MAX_FILE = 8 * 1024 * 1024;
/** Of a file that holds a token, of what stands in for one, and of a new one. */
export const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const WRITABLE = 0o200;

/** A file as it is; `bytes` is null where there is none. */
export type Found = {
  /** Where it really is, behind links. */
  readonly path: string;
  readonly bytes: Buffer | null;
  readonly mode: number | null;
  readonly isLink: boolean;
};

const refuse = (path: string, why: string): CliExit => new CliExit(EXIT.failure, `${path} ${why}. Nothing was changed`);

export const hashOf = (bytes: Buffer | string): string => Bun.SHA256.hash(bytes, "hex");

export const isOpenToOthers = (mode: number | null): boolean => ((mode ?? 0) & OTHERS) !== 0;

/** Reads a file of a client. Throws for one that could not be written afterwards. */
export const findFile = (path: string): Found => {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return { path, bytes: null, mode: null, isLink: false };
  const isLink = link.isSymbolicLink();
  if (isLink && !existsSync(path)) throw refuse(path, "is a link to a file that is not there");
  const real = isLink ? realpathSync(path) : path;
  const stats = statSync(real);
  if (!stats.isFile()) throw refuse(path, "is not a file");
  if (stats.size > MAX_FILE) throw refuse(path, `is larger than ${MAX_FILE / 1024 / 1024} MiB`);
  // Not by asking whether this user may: root may, and replacing a file needs its folder alone.
  if ((stats.mode & WRITABLE) === 0) throw refuse(path, "is read-only");
  return { path: real, bytes: readFileSync(real), mode: stats.mode & 0o777, isLink };
};

/** The text of a file. */
export const textOfFile = ({ path, bytes }: Found): string | null => {
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse(path, "is not UTF-8");
  }
};

/** Whether a folder on the way to a file is a link. Links above `home` are the system's own. */
export const isBehindLink = (path: string, home: string): boolean => {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const below = relative(home, folder);
  const isBelow = !isAbsolute(below) && below.split(/[\\/]/)[0] !== "..";
  return realpathSync(folder) !== (isBelow ? resolve(realpathSync(home), below) : resolve(folder));
};

/** The folders that have to be made before a file can be, outermost first. */
export const foldersMissing = (path: string): string[] => {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  return missing;
};

/** Makes the folder a file is to be in; gives the folders that were made, outermost first. */
export const makeFolder = (path: string): string[] => {
  const missing = foldersMissing(path);
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  return missing;
};

/** Removes folders that were made, as far as nothing else is in them. */
export const removeFolders = (folders: readonly string[]): void => {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it by now, or it is gone: it is not ours to remove.
      return;
    }
  }
};

/** Puts a whole file in the place of another, or none: a reader sees the one or the other. */
export const replaceFile = (path: string, bytes: Buffer | string, mode: number): void => {
  const beside = `${path}.${randomBytes(6).toString("hex")}.guardhouse`;
  try {
    const file = openSync(beside, "wx", mode);
    try {
      writeAll(file, Buffer.from(bytes));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    chmodSync(beside, mode);
    keepOwner(beside, path);
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
};

/** The administrator may write a file for its user. */
const keepOwner = (beside: string, path: string): void => {
  const [made, old] = [statSync(beside), statSync(path, { throwIfNoEntry: false })];
  if (old && (old.uid !== made.uid || old.gid !== made.gid)) chownSync(beside, old.uid, old.gid);
};

const writeAll = (file: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
};
