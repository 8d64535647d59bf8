import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What the hub says of itself at `/api/settings` and `/api/doctor`. */

export const SettingView = Type.Object(
  {
    key: Type.String({ description: "`upstream.connect_ms`." }),
    value: Type.Unknown({ description: "For secrets only whether one is set." }),
    origin: Type.String({ description: "Flag, variable, file, or `default`." }),
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
    wal_bytes: Type.Number({ description: "Size of the write-ahead log." }),
    backup_bytes: Type.Number({ description: "Size of the backups." }),
    disk_free_bytes: Type.Number(),
  },
  { $id: "StorageView" },
);
export type StorageView = Static<typeof StorageView>;

const StorageSizes = Type.Object({
  at: Moment,
  database_bytes: Type.Number(),
  index_bytes: Type.Number({ description: "Size of the search index in the database." }),
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
            description: "Growth of database and backups; negative when shrinking.",
          }),
          days_left: orNull(
            Type.Number({ description: "Days until the disk is full at this rate; null without growth." }),
          ),
        },
        { description: "Linear trend of the last four weeks; null before one day of samples." },
      ),
    ),
    every_hours: Type.Number({ description: "Hours between two samples." }),
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
    keep_blocked_hours: Type.Number({ description: "Retention of blocked and redacted content, in hours." }),
    reviewer_model: orNull(Type.String({ description: "Null if people decide all reports." })),
    password_sign_in: Type.Boolean({ description: "Whether password sign-in is enabled." }),
    sign_in_provider: orNull(Type.String({ description: "Name of the OpenID provider; null without one." })),
    listen: orNull(
      Type.String({ description: "For administrators and auditors; null for others, as all fields below." }),
    ),
    commit: orNull(Type.String()),
    started_at: orNull(Moment),
    uptime_s: orNull(Type.Number()),
    storage: orNull(StorageView),
    configuration: orNull(listOf(SettingView)),
    command_place: orNull(
      Type.Object(
        { config: orNull(Type.String()), data_dir: orNull(Type.String()) },
        { description: "`--config` and `--data-dir` for commands on the host of this hub." },
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
    advice: orNull(Type.String({ description: "Remedy; null if none is needed." })),
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
