import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CLI_ACTOR, changeRecord } from "#model/change";
import { systemClock } from "#platform/clock";
import { openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import type { BackupManifest, BackupOrigin, BackupReport } from "#store/backup-port";
import { backupsIn } from "#store/sqlite/backup-directory";
import { backupName, makeBackup } from "#store/sqlite/backup-make";
import { verifyBackup } from "#store/sqlite/backup-verify";
import { CliExit, EXIT } from "./exit";
import { shortTime } from "./moments";
import { card } from "./output";
import { backupKeysAt, backupSigning } from "./sealing";
import { reading, requireData } from "./session";
import type { RunVerb } from "./verb";
import { VERSION } from "./version";

/** What a backup says of itself, for scripts. */
export const shownManifest = (manifest: BackupManifest) => ({
  created_at: manifest.created_at,
  made_by: manifest.made_by,
  version: manifest.version,
  schema_version: manifest.schema_version,
  audit: manifest.audit,
  audit_key_included: manifest.audit_key_included,
  master_key_included: manifest.master_key_included,
  master_key_ids: manifest.master_key_ids,
});

/** Said each time, since who finds out at the restore finds out too late. */
const withoutKey = ({ master_key_ids: ids }: BackupManifest): string =>
  ids.length === 0
    ? "The master key is NOT in the backup; it holds no encrypted values yet."
    : `The master key is NOT in the backup: without ${ids.join(" and ")}, provider keys and all other encrypted values cannot be decrypted. Keep that key elsewhere.`;

const WITH_AUDIT_KEY =
  "The backup contains the signing key of the audit log: keep the file where only you can read it.";

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** A folder gets a file of a new name; a file of another name than `….tar` may have been meant as a folder. */
const targetOf = (to: string | undefined, now: number): string | null => {
  if (to === undefined) return null;
  const path = resolve(to);
  if (isFolder(path)) return join(path, backupName(now));
  if (existsSync(path)) throw new CliExit(EXIT.usage, `${path} exists already; backups are never overwritten`);
  const folder = dirname(path);
  if (!path.endsWith(".tar") || /[/\\]$/.test(to))
    throw new CliExit(EXIT.notFound, `No folder ${path}; create it first, or name a file ending in .tar`);
  if (!isFolder(folder)) throw new CliExit(EXIT.notFound, `No folder ${folder}; create it first`);
  return path;
};

const ORIGINS: Readonly<Record<BackupOrigin, (key: string) => string>> = {
  verified: (key) => `verified: made with the master key ${key}`,
  wrong: () => "wrong: the backup was not made with the master key it names",
  not_checked: (key) => `not checked: made with the master key ${key}, which is not available`,
  unsigned: () => "not checked: made by version 0.1.0, which did not sign backups",
};

/** What is known of who made a backup. */
export const originText = ({ origin, signed_with }: Pick<BackupReport, "origin" | "signed_with">): string =>
  ORIGINS[origin](signed_with ?? "");

/** `backup create`: beside a running service, which goes on. */
export const createBackup: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const now = systemClock();
  const target = targetOf(args.text("to"), now);
  const made = await reading(invocation, async ({ store, keys }) => {
    const signing = backupSigning(keys).current();
    const options = { target, madeBy: "command", version: VERSION, now, signing } as const;
    const done = await out.during("Backing up", async () => makeBackup(store.directory, options));
    const { name, bytes, sha256, manifest } = done;
    const detail = { bytes, sha256, audit: manifest.audit, kept: target === null };
    const change = { kind: "backup.create", by: CLI_ACTOR, subject: "backup", subject_id: name, detail };
    await store.audit.append(changeRecord(change, { id: systemIds(), at: systemClock() }));
    return { ...done, file: target ?? join(store.directory.backups, name) };
  });
  const { file, bytes, sha256, manifest } = made;
  await out.note(withoutKey(manifest));
  if (manifest.audit_key_included) await out.note(WITH_AUDIT_KEY);
  const head = manifest.audit;
  await out.result(
    { name: made.name, file, bytes, sha256, ...shownManifest(manifest) },
    card({ file, bytes: String(bytes), sha256, head: head && `${head.seq}:${head.hash}` }),
  );
  return EXIT.ok;
};

/** `backup list`: what lies in the data directory, newest first. */
export const listBackups: RunVerb = async ({ config, out }) => {
  const { data_dir } = config();
  requireData(data_dir);
  const { backups } = openDataDirectory(data_dir);
  const found = backupsIn(backups).map(({ name, bytes, manifest }) => ({
    name,
    file: join(backups, name),
    bytes,
    ...shownManifest(manifest),
  }));
  const rows = found.map(({ name, bytes, created_at, made_by, audit }) => [
    ...[name, shortTime(Date.parse(created_at)), made_by],
    ...[String(bytes), String(audit?.seq ?? 0)],
  ]);
  const human = rows.length === 0 ? "No backups." : out.table(["NAME", "MADE (UTC)", "BY", "BYTES", "RECORDS"], rows);
  await out.result(found, human);
  return EXIT.ok;
};

/** The file an operand names: a path, or the name of one that lies in the data directory. */
export const backupFile = (text: string, dataDir: string): string => {
  const path = resolve(text);
  const kept = resolve(dataDir, "backups", basename(text));
  const file = [path, ...(text === basename(text) ? [kept] : [])].find((one) => existsSync(one));
  if (file === undefined) throw new CliExit(EXIT.notFound, `There is no file ${path}`);
  if (!statSync(file).isFile()) throw new CliExit(EXIT.usage, `${file} is not a file`);
  return file;
};

/** `backup verify`: needs no data directory. */
export const verify: RunVerb = async ({ args, config, out }) => {
  const file = backupFile(args.needOperand(0), config().data_dir);
  const report = await out.during("Verifying the backup", () => verifyBackup(file, backupKeysAt(config())));
  const { ok, problems, manifest, records, checkpoints, origin, signed_with } = report;
  if (manifest && ok) await out.note(withoutKey(manifest));
  const lines = [
    ok ? "ok: the backup is intact" : "DAMAGED: the backup was changed",
    ...(manifest ? [`made         ${manifest.created_at} by version ${manifest.version}`] : []),
    ...(manifest ? [`origin       ${originText(report)}`] : []),
    ...(ok
      ? [`records      ${records}`, `checkpoints  ${checkpoints}`, `head         ${manifest?.audit?.hash ?? "none"}`]
      : []),
    ...problems,
  ];
  const told = manifest && shownManifest(manifest);
  await out.result({ ok, file, problems, records, checkpoints, origin, signed_with, ...told }, lines.join("\n"));
  return ok ? EXIT.ok : EXIT.integrity;
};
