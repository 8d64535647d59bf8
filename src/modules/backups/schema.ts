import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull } from "#http/openapi/shapes";

const Head = Type.Object({ seq: Type.Integer(), hash: Type.String() });

export const Backup = Type.Object(
  {
    object: Type.Literal("backup"),
    name: Type.String({ examples: ["guardhouse-20261121T233332Z-1f2e.tar"] }),
    bytes: Type.Integer(),
    created_at: Moment,
    made_by: oneOf(["command", "person", "schedule"]),
    version: Type.String(),
    schema_version: Type.Integer(),
    audit: orNull(Head),
    master_key_ids: listOf(Type.String()),
    has_keys: Type.Boolean({ description: "Whether the master keys of what is sealed in it are here now." }),
    checked: orNull(Type.Object({ ok: Type.Boolean(), at: Moment, problems: listOf(Type.String()) })),
  },
  { $id: "Backup" },
);

export const Task = Type.Object(
  {
    object: Type.Literal("backup.task"),
    id: Id,
    kind: oneOf(["create", "verify"]),
    state: oneOf(["running", "ok", "broken", "failed"]),
    name: orNull(Type.String()),
    started_at: Moment,
    ended_at: orNull(Moment),
    by: orNull(Type.String()),
    problems: listOf(Type.String()),
  },
  { $id: "BackupTask" },
);

export const Backups = Type.Object(
  {
    object: Type.Literal("list"),
    data: listOf(Backup),
    has_more: Type.Literal(false),
    task: orNull(Task),
    schedule: Type.Object({ every_hours: Type.Integer(), keep: Type.Integer(), next_at: orNull(Moment) }),
  },
  { $id: "BackupList" },
);

export const Removal = Type.Object(
  { name: Type.String({ maxLength: 100, description: "The backup's name once more, as somebody typed it." }) },
  { additionalProperties: false, $id: "BackupRemoval" },
);
export type Removal = Static<typeof Removal>;

export const Removed = Type.Object({ name: Type.String(), deleted: Type.Literal(true) }, { $id: "RemovedBackup" });
