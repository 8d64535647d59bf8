import { closeSync, existsSync, lstatSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DataDirectory } from "#platform/data-directory";
import type {
  BackupDirectory,
  BackupFile,
  BackupKeys,
  BackupMadeBy,
  BackupReport,
  MadeBackup,
} from "#store/backup-port";
import { DamagedArchive } from "./backup-archive";
import type { BackupOrder } from "./backup-make";
import { contentsOf } from "./backup-manifest";
import { inThread } from "./backup-thread";

/** As this program names them; what else lies there is none of its business. */
const NAME = /^guardhouse-\d{8}T\d{6}Z-[0-9a-f]{4}\.tar$/;

/** The backups that lie there, newest first: those whose manifest can be read. */
export const backupsIn = (folder: string): BackupFile[] => {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).filter((name) => NAME.test(name));
  return found
    .flatMap((name) => backupAt(join(folder, name), name) ?? [])
    .sort((a, b) => (a.manifest.created_at < b.manifest.created_at ? 1 : -1));
};

const backupAt = (file: string, name: string): BackupFile | null => {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  // A link could lead anywhere.
  if (!stat?.isFile()) return null;
  const handle = openSync(file, "r");
  try {
    return { name, bytes: stat.size, manifest: contentsOf(handle).manifest };
  } catch (error) {
    if (error instanceof DamagedArchive) return null;
    throw error;
  } finally {
    closeSync(handle);
  }
};

/** What backups are signed with, and what they may have been. */
export type BackupSigning = { readonly current: () => BackupOrder["signing"]; readonly all: () => BackupKeys };

export class SqliteBackupDirectory implements BackupDirectory {
  constructor(
    private readonly directory: DataDirectory,
    private readonly version: string,
    private readonly now: () => number,
    private readonly keys: BackupSigning,
  ) {}

  async list(): Promise<BackupFile[]> {
    return backupsIn(this.directory.backups);
  }

  make(madeBy: BackupMadeBy): Promise<MadeBackup> {
    const { version, keys } = this;
    const order = { target: null, madeBy, version, now: this.now(), signing: keys.current() };
    return inThread({ kind: "make", dataDir: this.directory.path, order });
  }

  async verify(name: string): Promise<BackupReport | null> {
    const file = this.fileOf(name);
    return file === null ? null : inThread({ kind: "verify", file, keys: this.keys.all() });
  }

  async open(name: string): Promise<Blob | null> {
    const file = this.fileOf(name);
    return file === null ? null : Bun.file(file, { type: "application/x-tar" });
  }

  async remove(name: string): Promise<boolean> {
    const file = this.fileOf(name);
    if (file === null) return false;
    rmSync(file, { force: true });
    return true;
  }

  /** Found by looking through what lies there: a name from outside never becomes part of a path. Damaged ones too. */
  private fileOf(name: string): string | null {
    const { backups } = this.directory;
    if (!existsSync(backups)) return null;
    const here = readdirSync(backups).find((one) => one === name && NAME.test(one));
    if (here === undefined) return null;
    const file = join(backups, here);
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
  }
}
