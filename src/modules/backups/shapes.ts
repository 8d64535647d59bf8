/* What `/api/backups` answers, as plain types: pages in a browser import them, so this file imports nothing. */

/** Who had it made: somebody at the command line, somebody signed in, or the hub by itself. */
export type BackupMaker = "command" | "person" | "schedule";

/** One backup that lies in the data directory. The master key is in none. */
export type ShownBackup = {
  readonly object: "backup";
  /** `guardhouse-20261121T233332Z-1f2e.tar`: what it is called in every address. */
  readonly name: string;
  readonly bytes: number;
  readonly created_at: string;
  readonly made_by: BackupMaker;
  /** Of the program that made it. */
  readonly version: string;
  readonly schema_version: number;
  /** The end of the audit chain when it was made; null for an empty log. */
  readonly audit: { readonly seq: number; readonly hash: string } | null;
  /** Ids of the master keys that are needed to open what is sealed in it. */
  readonly master_key_ids: readonly string[];
  /** Whether each of them is here now. */
  readonly has_keys: boolean;
  /** The last check since this process began; null for none. */
  readonly checked: { readonly ok: boolean; readonly at: string; readonly problems: readonly string[] } | null;
};

/** A backup that is being made or checked, or the last one that was, since this process began. */
export type BackupTask = {
  readonly object: "backup.task";
  readonly id: string;
  readonly kind: "create" | "verify";
  /** `broken`: the check found something. `failed`: it could not be done. */
  readonly state: "running" | "ok" | "broken" | "failed";
  /** Null while one is being made. */
  readonly name: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** An e-mail address; null for the hub itself. */
  readonly by: string | null;
  /** What the check found, or why it failed. At most 20. */
  readonly problems: readonly string[];
};

export type BackupSchedule = {
  /** 0: none are made by themselves. */
  readonly every_hours: number;
  /** How many of those that were made by themselves are kept. */
  readonly keep: number;
  /** When the next one is due; null without a schedule. */
  readonly next_at: string | null;
};

/** `GET /api/backups`. */
export type BackupList = {
  readonly object: "list";
  /** Newest first. */
  readonly data: readonly ShownBackup[];
  readonly has_more: false;
  readonly task: BackupTask | null;
  readonly schedule: BackupSchedule;
};

/** `DELETE /api/backups/:name`. */
export type RemovedBackup = { readonly name: string; readonly deleted: true };
