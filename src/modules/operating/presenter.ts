import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

/* What the hub says of itself at `/api/settings` and `/api/doctor`. */

export const SettingView = Type.Object(
  {
    key: Type.String({ description: "`upstream.connect_ms`." }),
    value: Type.Unknown({ description: "Of a secret only that there is one." }),
    origin: Type.String({ description: "A flag, a variable, a file, or `default`." }),
    default: Type.Unknown(),
    description: Type.String(),
    secret: Type.Boolean(),
  },
  { $id: "SettingView" },
);
export type SettingView = Static<typeof SettingView>;

export const StorageView = Type.Object(
  {
    data_dir: Type.String(),
    database_bytes: Type.Number(),
    wal_bytes: Type.Number({ description: "Of the write-ahead log." }),
    backup_bytes: Type.Number({ description: "Of the backups beside it." }),
    disk_free_bytes: Type.Number(),
  },
  { $id: "StorageView" },
);
export type StorageView = Static<typeof StorageView>;

const StorageSizes = Type.Object({
  at: Moment,
  database_bytes: Type.Number(),
  index_bytes: Type.Number({ description: "Of the database: what calls are found by." }),
  backup_bytes: Type.Number(),
  disk_free_bytes: Type.Number(),
});

export const StorageHistoryView = Type.Object(
  {
    object: Type.Literal("storage_history"),
    now: StorageSizes,
    trend: orNull(
      Type.Object(
        {
          measured_days: Type.Number(),
          bytes_per_day: Type.Number({
            description: "Of database and backups together; below zero where they shrink.",
          }),
          days_left: orNull(
            Type.Number({ description: "Until the disk is full at this rate; null where nothing grows." }),
          ),
        },
        { description: "A straight line through the last four weeks; null while less than a day was measured." },
      ),
    ),
    every_hours: Type.Number({ description: "Between two samples." }),
    samples: listOf(StorageSizes),
  },
  { $id: "StorageHistory" },
);
export type StorageHistoryView = Static<typeof StorageHistoryView>;

export const SettingsView = Type.Object(
  {
    object: Type.Literal("settings"),
    public_url: Type.String(),
    version: Type.String(),
    guard_mode: Type.String(),
    audit_retention_days: Type.Number(),
    keep_blocked_hours: Type.Number({ description: "How long blocked and redacted texts are kept." }),
    reviewer_model: orNull(Type.String({ description: "Null where people read all reports." })),
    password_sign_in: Type.Boolean({ description: "Whether people may sign in with a password." }),
    sign_in_provider: orNull(Type.String({ description: "What the OpenID provider is called; null without one." })),
    listen: orNull(Type.String({ description: "For administrators and auditors; null for others, as is all below." })),
    commit: orNull(Type.String()),
    started_at: orNull(Moment),
    uptime_s: orNull(Type.Number()),
    storage: orNull(StorageView),
    configuration: orNull(listOf(SettingView)),
    command_place: orNull(
      Type.Object(
        { config: orNull(Type.String()), data_dir: orNull(Type.String()) },
        { description: "What commands at the hub's machine name to mean this hub: `--config` and `--data-dir`." },
      ),
    ),
  },
  { $id: "SettingsView" },
);
export type SettingsView = Static<typeof SettingsView>;

export const CheckView = Type.Object(
  {
    name: Type.String(),
    state: oneOf(["ok", "warn", "fail"]),
    finding: Type.String(),
    advice: orNull(Type.String({ description: "What to do about it; null when there is nothing to do." })),
  },
  { $id: "CheckView" },
);
export type CheckView = Static<typeof CheckView>;

export const DoctorView = Type.Object(
  {
    object: Type.Literal("doctor"),
    ok: Type.Boolean(),
    checks: listOf(CheckView),
  },
  { $id: "DoctorView" },
);
export type DoctorView = Static<typeof DoctorView>;
