import { GuardError } from "#core/errors";
import { type Actor, changeRecord, HUB_ACTOR, personActor } from "#model/change";
import type { Person } from "#model/session";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { BackupDirectory, BackupFile } from "#store/backup-port";
import type { Backup, BackupList, BackupSchedule, BackupTask, RemovedBackup } from "./schema";

type BackupServiceNeeds = {
  readonly backupDirectory: BackupDirectory;
  readonly everyHours: number;
  readonly keep: number;
  /** Whether what is sealed with the master key of this id opens here. */
  readonly hasKey: (id: string) => boolean;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

const HOUR_MS = 3_600_000;
/** After one that could not be made by itself: a full disk is not asked every minute. */
const AGAIN_AFTER_MS = HOUR_MS / 4;

type Checked = NonNullable<Backup["checked"]>;

/** Backups as administrators look after them. */
export class BackupService {
  /** The one that goes on, or the last one of this process. */
  private task: BackupTask | null = null;
  private readonly checked = new Map<string, Checked>();
  private notBefore = 0;

  constructor(private readonly deps: BackupServiceNeeds) {}

  async list(): Promise<BackupList> {
    const found = await this.deps.backupDirectory.list();
    const data = found.map((file) => this.shown(file));
    return { object: "list", data, has_more: false, task: this.task, schedule: this.scheduleOf(found) };
  }

  /** Begins to make one. One task at a time: throws `state_conflict`. */
  async create(person: Person): Promise<BackupTask> {
    const task = this.begin("create", null, person.user.email);
    void this.making(task, personActor(person));
    return task;
  }

  /** Begins to check one. Throws `not_found`, `state_conflict`. */
  async verify(person: Person, name: string): Promise<BackupTask> {
    await this.mustKnow(name);
    const task = this.begin("verify", name, person.user.email);
    void this.checking(task, personActor(person), name);
    return task;
  }

  /** All of it; that somebody took it is on record first. Throws `not_found`. */
  async open(person: Person, name: string): Promise<Blob> {
    const content = await this.deps.backupDirectory.open(name);
    if (content === null) throw unknown();
    await this.record(personActor(person), "backup.download", name, { bytes: content.size });
    return content;
  }

  /** `typed` is the name once more: throws `invalid_value` when it is another, `not_found`. */
  async remove(person: Person, name: string, typed: string): Promise<RemovedBackup> {
    await this.mustKnow(name);
    if (typed !== name) {
      throw new GuardError("invalid_value", "name must repeat the backup's name from the address.", {
        param: "name",
      });
    }
    await this.removeFile(personActor(person), name);
    return { name, deleted: true };
  }

  /** Makes the one that is due, and removes those of its kind that are too many. Never throws. */
  async runOnce(): Promise<void> {
    const { everyHours, backupDirectory, now, log } = this.deps;
    if (everyHours === 0 || this.task?.state === "running" || now() < this.notBefore) return;
    try {
      const due = this.dueAt(await backupDirectory.list());
      if (due === null || due > now()) return;
      const ended = await this.making(this.begin("create", null, null), HUB_ACTOR);
      if (ended.state !== "ok") this.notBefore = now() + AGAIN_AFTER_MS;
      else await this.thin();
    } catch (error) {
      this.notBefore = now() + AGAIN_AFTER_MS;
      log.error("task.failed", { task: "backup", ...causeOf(error) });
    }
  }

  private async thin(): Promise<void> {
    const scheduled = (await this.deps.backupDirectory.list()).filter(
      ({ manifest }) => manifest.made_by === "schedule",
    );
    for (const { name } of scheduled.slice(this.deps.keep)) await this.removeFile(HUB_ACTOR, name);
  }

  private async removeFile(by: Actor, name: string): Promise<void> {
    await this.record(by, "backup.delete", name, {});
    await this.deps.backupDirectory.remove(name);
    this.checked.delete(name);
  }

  private begin(kind: BackupTask["kind"], name: string | null, by: string | null): BackupTask {
    if (this.task?.state === "running")
      throw new GuardError("state_conflict", "Another backup or check is running. Wait until it has ended.");
    const { ids, now } = this.deps;
    const begun: BackupTask = {
      object: "backup.task",
      id: ids(),
      kind,
      state: "running",
      name,
      by,
      started_at: timestamp(now()),
      ended_at: null,
      problems: [],
    };
    this.task = begun;
    return begun;
  }

  /** Never throws: what goes wrong is its result. */
  private making(begun: BackupTask, by: Actor): Promise<BackupTask> {
    return this.through(begun, async () => {
      const made = await this.deps.backupDirectory.make(by === HUB_ACTOR ? "schedule" : "person");
      const { name, bytes, sha256, manifest } = made;
      await this.record(by, "backup.create", name, { bytes, sha256, audit: manifest.audit });
      return { state: "ok", name, problems: [] };
    });
  }

  private checking(begun: BackupTask, by: Actor, name: string): Promise<BackupTask> {
    return this.through(begun, async () => {
      const report = await this.deps.backupDirectory.verify(name);
      if (report === null) throw unknown();
      const { ok, problems } = report;
      await this.record(by, "backup.verify", name, { ok, problems: problems.length });
      this.checked.set(name, { ok, at: timestamp(this.deps.now()), problems });
      if (!ok) this.deps.log.error("backup.broken", { problems: problems.length });
      return { state: ok ? "ok" : "broken", name, problems };
    });
  }

  private async through(
    begun: BackupTask,
    work: () => Promise<Pick<BackupTask, "state" | "name" | "problems">>,
  ): Promise<BackupTask> {
    let ending: Pick<BackupTask, "state" | "name" | "problems">;
    try {
      ending = await work();
    } catch (error) {
      this.deps.log.error("backup.failed", { kind: begun.kind, ...causeOf(error) });
      ending = { state: "failed", name: begun.name, problems: [reasonOf(error)] };
    }
    const ended = { ...begun, ...ending, ended_at: timestamp(this.deps.now()) };
    this.task = ended;
    return ended;
  }

  private async mustKnow(name: string): Promise<void> {
    if ((await this.deps.backupDirectory.open(name)) === null) throw unknown();
  }

  private scheduleOf(found: readonly BackupFile[]): BackupSchedule {
    const { everyHours: every_hours, keep } = this.deps;
    const due = this.dueAt(found);
    return { every_hours, keep, next_at: due === null ? null : timestamp(due) };
  }

  /** Unix milliseconds; null without a schedule. Read off what lies there, so that a restart changes nothing. */
  private dueAt(found: readonly BackupFile[]): number | null {
    const { everyHours, now } = this.deps;
    if (everyHours === 0) return null;
    // One of a time to come was made while the clock was wrong.
    const isLast = ({ manifest }: BackupFile) =>
      manifest.made_by === "schedule" && Date.parse(manifest.created_at) <= now();
    const last = found.find(isLast);
    const due = last === undefined ? now() : Date.parse(last.manifest.created_at) + everyHours * HOUR_MS;
    return Math.max(due, this.notBefore);
  }

  private shown({ name, bytes, manifest }: BackupFile): Backup {
    const { created_at, made_by, version, schema_version, audit, master_key_ids } = manifest;
    return {
      object: "backup",
      name,
      bytes,
      created_at,
      made_by,
      version,
      schema_version,
      audit,
      master_key_ids,
      has_keys: master_key_ids.every(this.deps.hasKey),
      checked: this.checked.get(name) ?? null,
    };
  }

  private record(by: Actor, kind: string, name: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const change = { kind, by, subject: "backup", subject_id: name, detail };
    return this.deps.writeRecord(changeRecord(change, { id: this.deps.ids(), at: this.deps.now() }));
  }
}

const unknown = (): GuardError => new GuardError("not_found", "There is no backup of that name.");

/** Ours say what to do; what others say stays in the log. */
const OURS = ["NoRoomForBackup", "DataDirectoryLocked", "NewerDatabase", "GuardError"];

const reasonOf = (error: unknown): string =>
  error instanceof Error && OURS.includes(error.name) ? error.message : "It failed; see the hub's log.";
