/* Backups as the hub needs them of a store. See `port.ts` for what holds of every method. */

export type BackupMadeBy = "command" | "person" | "schedule";

/** One part of a backup's file. */
export type BackupPart = { readonly name: string; readonly bytes: number; readonly sha256: string };

/** What a backup says of itself. It holds no secrets. */
export type BackupManifest = {
  readonly format: "guardhouse-backup";
  readonly format_version: 1;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  readonly made_by: BackupMadeBy;
  /** Of the program that made it. */
  readonly version: string;
  readonly schema_version: number;
  /** The end of the audit chain; null for an empty log. */
  readonly audit: { readonly seq: number; readonly hash: string } | null;
  /** Null for a log that nothing was signed in. */
  readonly audit_key_included: boolean;
  readonly master_key_included: false;
  /** Ids of the master keys that open what is sealed in it. */
  readonly master_key_ids: readonly string[];
  readonly parts: readonly BackupPart[];
};

export type BackupFile = { readonly name: string; readonly bytes: number; readonly manifest: BackupManifest };

export type MadeBackup = BackupFile & {
  /** Of the whole file, to compare a copy with. */
  readonly sha256: string;
};

/**
 * Whether a backup was made by who had the master key: `verified`; `wrong` when it was not; `not_checked` while that key
 * is not here; `unsigned` for backups of version 0.1.0, which do not say.
 */
export type BackupOrigin = "verified" | "wrong" | "not_checked" | "unsigned";

/** Keys that backups are signed with, in hexadecimal, by the ids of the master keys they were derived from. */
export type BackupKeys = Readonly<Record<string, string>>;
/** What their keys are derived for. */
export const BACKUP_KEY = "backup";

/** What a check found. Without a manifest the file is no backup, or a damaged one. */
export type BackupReport = {
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly manifest: BackupManifest | null;
  /** Audit records whose links and signatures were recomputed. */
  readonly records: number;
  readonly checkpoints: number;
  readonly origin: BackupOrigin;
  /** The id of the master key it was made with; null where it does not say. */
  readonly signed_with: string | null;
};

/** The backups in the data directory. Names are only ever compared with what lies there. */
export type BackupDirectory = {
  /** Newest first. What is no whole backup is not among them. */
  list(): Promise<BackupFile[]>;
  /** Beside calls, in a thread of its own. One at a time over all processes: throws `DataDirectoryLocked`. */
  make(madeBy: BackupMadeBy): Promise<MadeBackup>;
  /** Beside calls, too. Null for none of that name. */
  verify(name: string): Promise<BackupReport | null>;
  /** To be sent; null for none of that name. */
  open(name: string): Promise<Blob | null>;
  /** False for none of that name. */
  remove(name: string): Promise<boolean>;
};
