import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "#config/schema";
import { CLI_ACTOR, changeRecord } from "#core/change";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { systemClock } from "#platform/clock";
import { isLocked, type Lock, lockForKeys, lockForServing, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { parseMasterKey } from "#platform/master-key";
import { keyIdOf } from "#platform/sealing";
import type { BackupManifest, BackupReport } from "#store/backup-port";
import { DamagedBackup, type Restored, restoreBackup } from "#store/sqlite/backup-restore";
import { verifyBackup } from "#store/sqlite/backup-verify";
import type { GoodAgain } from "#store/sqlite/restore-sessions";
import { backupFile, shownManifest } from "./backups";
import { EXIT, Stop } from "./exit";
import { card } from "./output";
import { givenPlace } from "./place";
import { backupKeysAt, masterKeysOf } from "./sealing";
import type { Invocation, Run } from "./verb";

type Whole = BackupReport & { readonly manifest: BackupManifest };

/** The ids of the master keys that what is sealed in it needs and that are not here. Makes nothing. */
const missingKeys = ({ manifest, signed_with }: Whole, config: Config): string[] => {
  const isKnown = existsSync(config.data_dir) ? keysAt(config) : givenKey(config);
  // The one that says who made it, too.
  const needed = new Set([...manifest.master_key_ids, ...(signed_with === null ? [] : [signed_with])]);
  return [...needed].filter((id) => !isKnown(id));
};

const keysAt = (config: Config): ((id: string) => boolean) => {
  const keys = masterKeysOf(openDataDirectory(config.data_dir), config);
  return (id) => keys.has(id);
};

const givenKey = ({ master_key }: Config): ((id: string) => boolean) => {
  const own = master_key === null ? null : keyIdOf(parseMasterKey(master_key, "in the configuration"));
  return (id) => id === own;
};

const needsKeys = (missing: readonly string[]): string =>
  `What is sealed in this backup opens with, and who made it is known by, the master key ${missing.join(" and ")}, which is not here`;

const UNSIGNED =
  "Whether this backup was made by your hub cannot be checked: it has no signature, as those of version 0.1.0; somebody may have put roles and passwords into it";

/** `restore F --dry-run`: everything but the change, beside a running service too. */
const rehearse = async ({ out, config }: Invocation, file: string): Promise<number> => {
  const report = await verifyBackup(file, backupKeysAt(config()));
  const { ok, manifest, problems, records, origin } = report;
  if (!ok || manifest === null) throw new DamagedBackup(problems);
  const missing_keys = missingKeys({ ...report, manifest }, config());
  if (origin === "unsigned") await out.note(`warning: ${UNSIGNED}. A restore would stop here without --unsigned.`);
  const { data_dir } = config();
  const is_running = existsSync(data_dir) && isLocked(openDataDirectory(data_dir));
  if (missing_keys.length > 0) await out.note(`warning: ${needsKeys(missing_keys)}. A restore would stop here.`);
  if (is_running) await out.note("warning: a service runs on the data directory; stop it before the restore.");
  await out.result(
    { dry_run: true, file, records, origin, missing_keys, is_running, ...shownManifest(manifest) },
    `The backup of ${manifest.created_at} is whole and could be restored: ${records} audit records. Nothing was changed.`,
  );
  return EXIT.ok;
};

const recordOf = (file: string, revoked: boolean) => (manifest: BackupManifest, good: GoodAgain) => {
  const { sessions, grants, tokens } = good;
  const detail = {
    ...{ backup: basename(file), made_at: manifest.created_at, audit: manifest.audit, revoke_sessions: revoked },
    ...{ sessions, grants, tokens },
  };
  const change = { kind: "backup.restore", by: CLI_ACTOR, subject: "backup", subject_id: basename(file), detail };
  return changeRecord(change, { id: systemIds(), at: systemClock() });
};

const warnings = ({ manifest, good }: Restored, revoked: boolean, place: HubPlace): string[] => {
  const { sessions, grants, tokens, tokens_revoked_since: back } = good;
  const lines = revoked
    ? [`${sessions} sessions and ${grants} grants of programs were ended: everybody signs in anew.`]
    : [
        `warning: everything is as it was at ${manifest.created_at}. What was revoked since is GOOD AGAIN: of ${sessions} sessions and ${grants} grants of programs, whichever were ended since. \`${commandLine(COMMANDS.restoreEndingSessions())}\` ends them all.`,
      ];
  lines.push(
    "warning: users disabled, agents suspended, restrictions and kill switches set since are as they were then, too.",
  );
  if (back === null)
    lines.push(`warning: ${tokens} gateway tokens are good; which of them were revoked since is not known here.`);
  else if (back.length > 0)
    lines.push(
      `warning: gateway tokens that are GOOD AGAIN, revoke them anew (${commandLine(COMMANDS.revokeToken(), place)}): ${back.join(", ")}`,
    );
  return lines;
};

const apply = async (invocation: Invocation, file: string): Promise<number> => {
  const { args, out } = invocation;
  const config = invocation.config();
  const place = givenPlace(invocation.settings());
  const revoke = args.on("revoke-sessions");
  const locks: Lock[] = [];
  try {
    const directory = openDataDirectory(config.data_dir);
    locks.push(lockForServing(directory), lockForKeys(directory));
    const done = await restoreBackup(directory, {
      ...{ file, revokeSessions: revoke, now: systemClock(), record: recordOf(file, revoke) },
      keys: backupKeysAt(config),
      allow: (report) => {
        if (report.origin === "unsigned" && !args.on("unsigned"))
          throw new Stop(EXIT.integrity, `${UNSIGNED}. If you know where it has been since, go on with --unsigned`);
        const missing = missingKeys(report, config);
        if (missing.length === 0 || args.on("leave-closed")) return;
        throw new Stop(
          EXIT.integrity,
          `${needsKeys(missing)}. Put it at ${directory.masterKey}, or go on with --leave-closed: the service does not start before the key is there, or \`${commandLine(COMMANDS.rotateKeysLeavingClosed(), place)}\` gave it another`,
        );
      },
    });
    for (const line of warnings(done, revoke, place)) await out.note(line);
    const { manifest, records, aside, schema_version, good } = done;
    await out.result(
      { file, records, aside, revoked_sessions: revoke, good, ...shownManifest(manifest), schema_version },
      card({
        restored: file,
        made: manifest.created_at,
        records: String(records),
        "before is in": aside,
        next: commandLine(COMMANDS.doctor(), place),
      }),
    );
    return EXIT.ok;
  } finally {
    for (const lock of locks) lock.release();
  }
};

/** `restore`: exit code 5 while a service runs, 4 for newer data, 8 for a damaged backup. */
export const restore: Run = async (invocation) => {
  const file = backupFile(invocation.args.needOperand(0), invocation.config().data_dir);
  return invocation.args.on("dry-run") ? rehearse(invocation, file) : apply(invocation, file);
};
