/* What the hub says of itself at `/api/settings` and `/api/doctor`. */

export type SettingView = {
  /** `upstream.connect_ms`. */
  readonly key: string;
  /** Of a secret only that there is one. */
  readonly value: unknown;
  /** A flag, a variable, a file, or `default`. */
  readonly origin: string;
  readonly default: unknown;
  readonly description: string;
  readonly secret: boolean;
};

export type StorageView = {
  readonly data_dir: string;
  readonly database_bytes: number;
  /** Of the write-ahead log. */
  readonly wal_bytes: number;
  readonly disk_free_bytes: number;
};

export type SettingsView = {
  readonly object: "settings";
  readonly public_url: string;
  readonly version: string;
  readonly guard_mode: string;
  readonly audit_retention_days: number;
  /** How long blocked and redacted texts are kept. */
  readonly keep_blocked_hours: number;
  /** Null where people read all reports. */
  readonly reviewer_model: string | null;
  /** For administrators and auditors; null for others, as is all below. */
  readonly listen: string | null;
  readonly commit: string | null;
  readonly started_at: string | null;
  readonly uptime_s: number | null;
  readonly storage: StorageView | null;
  readonly configuration: readonly SettingView[] | null;
};

export type CheckView = {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
};

export type DoctorView = { readonly object: "doctor"; readonly ok: boolean; readonly checks: readonly CheckView[] };
