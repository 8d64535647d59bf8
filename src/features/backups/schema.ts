import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What `/api/backups` takes and answers. */

const Head = Type.Object({ seq: Type.Integer(), hash: Type.String() });

/** One backup that lies in the data directory. The master key is in none. */
export const Backup = Type.Object(
  {
    object: Type.Literal("backup"),
    name: Type.String({ examples: ["guardhouse-20261121T233332Z-1f2e.tar"] }),
    bytes: Type.Integer(),
    created_at: Moment,
    /** Somebody at the command line, somebody signed in, or the hub by itself. */
    made_by: oneOf(["command", "person", "schedule"]),
    /** Of the program that made it. */
    version: Type.String(),
    schema_version: Type.Integer(),
    /** The end of the audit chain when it was made; null for an empty log. */
    audit: orNull(Head),
    /** Of those that are needed to open what is sealed in it. */
    master_key_ids: listOf(Type.String()),
    has_keys: Type.Boolean({ description: "Whether the master keys of its encrypted values are available." }),
    /** The last check since this process began; null for none. */
    checked: orNull(Type.Object({ ok: Type.Boolean(), at: Moment, problems: listOf(Type.String()) })),
  },
  { $id: "Backup" },
);
export type Backup = Static<typeof Backup>;

/** A backup that is being made or checked, or the last one that was, since this process began. */
export const BackupTask = Type.Object(
  {
    object: Type.Literal("backup.task"),
    id: Id,
    kind: oneOf(["create", "verify"]),
    /** `broken`: the check found something. `failed`: it could not be done. */
    state: oneOf(["running", "ok", "broken", "failed"]),
    /** Null while one is being made. */
    name: orNull(Type.String()),
    started_at: Moment,
    ended_at: orNull(Moment),
    /** An e-mail address; null for the hub itself. */
    by: orNull(Type.String()),
    /** What the check found, or why it failed. At most 20. */
    problems: listOf(Type.String()),
  },
  { $id: "BackupTask" },
);
export type BackupTask = Static<typeof BackupTask>;

const BackupSchedule = Type.Object({
  /** 0: none are made by themselves. */
  every_hours: Type.Integer(),
  /** How many of those that were made by themselves are kept. */
  keep: Type.Integer(),
  /** When the next one is due; null without a schedule. */
  next_at: orNull(Moment),
});
export type BackupSchedule = Static<typeof BackupSchedule>;

export const BackupList = Type.Object(
  {
    object: Type.Literal("list"),
    /** Newest first. */
    data: listOf(Backup),
    has_more: Type.Literal(false),
    task: orNull(BackupTask),
    schedule: BackupSchedule,
  },
  { $id: "BackupList" },
);
export type BackupList = Static<typeof BackupList>;

export const BackupRemoval = Type.Object(
  { name: Type.String({ maxLength: 100, description: "Name of the backup, typed as confirmation." }) },
  { additionalProperties: false, $id: "BackupRemoval" },
);

export const RemovedBackup = Type.Object(
  { name: Type.String(), deleted: Type.Literal(true) },
  { $id: "RemovedBackup" },
);
export type RemovedBackup = Static<typeof RemovedBackup>;
