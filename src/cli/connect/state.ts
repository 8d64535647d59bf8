import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CliExit, EXIT } from "#cli/exit";
import type { Contents } from "#clients/client";
import { isRecord, parseJson } from "#core/json/json";
import { foldersMissing, makeFolder, PRIVATE, removeFolders, replaceFile } from "./files";

/** One file as it was written, and as it was before. */
export type Written = {
  readonly path: string;
  /** Its bytes in base64; null where there was no file. */
  readonly before: string | null;
  readonly mode: number | null;
  /** Hash of what was written. */
  readonly after: string;
  /** Hash of what was there then: it is there still where the command ended before it wrote. */
  readonly found: string | null;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
  /** What was put into it. */
  readonly contents: Contents;
};

/** What was written, by client. */
export type Backup = Readonly<Record<string, readonly Written[]>>;

const VERSION = 1;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isContents = (value: unknown): value is Contents =>
  isRecord(value) && typeof value["format"] === "string" && ("text" in value || Array.isArray(value["entries"]));

const isWritten = (value: unknown): value is Written =>
  isRecord(value) &&
  typeof value["path"] === "string" &&
  typeof value["after"] === "string" &&
  (value["found"] === null || typeof value["found"] === "string") &&
  (value["before"] === null || typeof value["before"] === "string") &&
  (value["mode"] === null || typeof value["mode"] === "number") &&
  isTexts(value["folders"]) &&
  isContents(value["contents"]);

const isBackup = (value: unknown): value is Backup =>
  isRecord(value) && Object.values(value).every((files) => Array.isArray(files) && files.every(isWritten));

/** What `connect` keeps of what it wrote, so that it can be undone. */
export class BackupStore {
  /** Folders that were made for it, outermost first. */
  #folders: readonly string[] = [];

  constructor(private readonly folder: string) {}

  get path(): string {
    return join(this.folder, "connect.json");
  }

  read(): Backup {
    if (!existsSync(this.path)) return {};
    const read = parseJson(readFileSync(this.path, "utf8"));
    if (!isRecord(read) || read["version"] !== VERSION || !isTexts(read["folders"]) || !isBackup(read["clients"])) {
      throw new CliExit(EXIT.failure, `${this.path} cannot be read, so nothing is changed. Move it away to begin anew`);
    }
    this.#folders = read["folders"];
    return read["clients"];
  }

  write(clients: Backup): void {
    const text = JSON.stringify({ version: VERSION, folders: this.#folders, clients });
    if (Object.values(clients).some((files) => files.length > 0)) replaceFile(this.path, `${text}\n`, PRIVATE);
    else rmSync(this.path, { force: true });
  }

  /** One command at a time. */
  exclusively<T>(work: () => T): T {
    const lock = join(this.folder, "connect.lock");
    this.#folders = takeLock(lock);
    try {
      return work();
    } finally {
      rmSync(lock, { force: true });
      if (!existsSync(this.path)) removeFolders(this.#folders);
    }
  }
}

/** Times a lock is tried for that others take and give back meanwhile. */
const TRIES = 100;
/** A lock without a process in it is left by one that ended while it wrote, after so many ms. */
const EMPTY_MS = 5_000;
const MAX_PID = 0x7fff_ffff;

/** Gives the folders that were made for the lock. */
const takeLock = (lock: string): readonly string[] => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const folders = taken(lock);
    if (folders) return folders;
    if (isHeld(lock)) break;
    removeStale(lock);
  }
  throw new CliExit(EXIT.failure, `Another \`connect\` is at work (${lock}). Try again`);
};

/** The lock names its process from its first moment on; null where it is another's, or was a moment ago. */
const taken = (lock: string): readonly string[] | null => {
  const missing = foldersMissing(lock);
  const [outermost] = missing;
  if (outermost !== undefined) return isMadeWithLock(outermost, lock) ? missing : null;
  const own = uniqueBeside(lock);
  try {
    writeFileSync(own, String(process.pid), { mode: PRIVATE });
    linkSync(own, lock);
    return [];
  } catch (cause) {
    // The folder is gone again, or the lock is there.
    if (isCode(cause, "ENOENT") || isCode(cause, "EEXIST")) return null;
    throw cause;
  } finally {
    rmSync(own, { force: true });
  }
};

/** Makes the folders with the lock in them at once, so that the one who has made them holds it. */
const isMadeWithLock = (outermost: string, lock: string): boolean => {
  const made = uniqueBeside(outermost);
  const inside = join(made, relative(outermost, lock));
  try {
    makeFolder(inside);
    writeFileSync(inside, String(process.pid), { mode: PRIVATE });
    renameSync(made, outermost);
    return true;
  } catch (cause) {
    // Another one was first.
    if (existsSync(outermost)) return false;
    throw cause;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
};

const uniqueBeside = (path: string): string => `${path}.${randomBytes(6).toString("hex")}`;

const isCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code;

/** Moves the lock away before it is removed: what another one took meanwhile is put back. */
const removeStale = (lock: string): void => {
  const moved = uniqueBeside(lock);
  try {
    renameSync(lock, moved);
    if (isHeld(moved)) linkSync(moved, lock);
  } catch (cause) {
    if (!isCode(cause, "ENOENT") && !isCode(cause, "EEXIST")) throw cause;
  } finally {
    rmSync(moved, { force: true });
  }
};

const isHeld = (lock: string): boolean => {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    if (!Number.isInteger(pid) || pid <= 0 || pid > MAX_PID) return Date.now() - statSync(lock).mtimeMs < EMPTY_MS;
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Of another user.
    if (isCode(cause, "EPERM")) return true;
    // Given back meanwhile, or its process is gone.
    if (isCode(cause, "ENOENT") || isCode(cause, "ESRCH")) return false;
    throw cause;
  }
};
