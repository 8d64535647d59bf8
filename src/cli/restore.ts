import { existsSync } from "node:fs";
import { basename } from "node:path";
import { givenPlace } from "#config/load";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { CLI_ACTOR, changeRecord } from "#model/change";
import { systemClock } from "#platform/clock";
import { isLocked, type Lock, lockForKeys, lockForServing, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { parseMasterKey } from "#platform/master-keys";
import { keyIdOf } from "#platform/sealing";
import type { BackupManifest, BackupReport } from "#store/backup-port";
import { DamagedBackup, type Restored, restoreBackup } from "#store/sqlite/backup-restore";
import { verifyBackup } from "#store/sqlite/backup-verify";
import type { GoodAgain } from "#store/sqlite/restore-sessions";
import { backupFile, shownManifest } from "./backups";
import { CliExit, EXIT } from "./exit";
import { card } from "./output";
import { backupKeysAt, masterKeysOf } from "./sealing";
import type { Invocation, RunVerb } from "./verb";

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
  `The master key ${missing.join(" and ")} is not available: it decrypts the secrets of this backup and verifies its origin`;

const UNSIGNED =
  "The origin of this backup cannot be verified: like those of version 0.1.0 it has no signature, so somebody may have added roles and passwords";

/** `restore F --dry-run`: everything but the change, beside a running service too. */
const rehearse = async ({ out, config }: Invocation, file: string): Promise<number> => {
  const report = await out.during("Verifying the backup", () => verifyBackup(file, backupKeysAt(config())));
  const { ok, manifest, problems, records, origin } = report;
  if (!ok || manifest === null) throw new DamagedBackup(problems);
  const missing_keys = missingKeys({ ...report, manifest }, config());
  if (origin === "unsigned") await out.note(`warning: ${UNSIGNED}. A restore would stop here without --unsigned.`);
  const { data_dir } = config();
  const is_running = existsSync(data_dir) && isLocked(openDataDirectory(data_dir));
  if (missing_keys.length > 0) await out.note(`warning: ${needsKeys(missing_keys)}. A restore would stop here.`);
  if (is_running) await out.note("warning: a hub is running on the data directory; stop it before the restore.");
  await out.result(
    { dry_run: true, file, records, origin, missing_keys, is_running, ...shownManifest(manifest) },
    `The backup of ${manifest.created_at} is intact and can be restored: ${records} audit records. Nothing was changed.`,
  );
  return EXIT.ok;
};

const recordOf = (file: string, revoked: boolean) => (manifest: BackupManifest, good: GoodAgain) => {
  const { sessions, grants, tokens } = good;
  const detail = {
    backup: basename(file),
    made_at: manifest.created_at,
    audit: manifest.audit,
    revoke_sessions: revoked,
    sessions,
    grants,
    tokens,
  };
  const change = { kind: "backup.restore", by: CLI_ACTOR, subject: "backup", subject_id: basename(file), detail };
  return changeRecord(change, { id: systemIds(), at: systemClock() });
};

const warnings = ({ manifest, good }: Restored, revoked: boolean, place: HubPlace): string[] => {
  const { sessions, grants, tokens, tokens_revoked_since: back } = good;
  const lines = revoked
    ? [`Ended ${sessions} sessions and ${grants} grants of OAuth clients: everybody must sign in again.`]
    : [
        `warning: the data is that of ${manifest.created_at}. What was revoked since then is VALID AGAIN, among ${sessions} sessions and ${grants} grants of OAuth clients. \`${commandLine(COMMANDS.restoreEndingSessions())}\` ends them all.`,
      ];
  lines.push("warning: disabled users, suspended agents, restrictions and kill switches are also as they were then.");
  if (back === null)
    lines.push(`warning: ${tokens} gateway tokens are valid; which of them were revoked since then is unknown.`);
  else if (back.length > 0)
    lines.push(
      `warning: gateway tokens that are VALID AGAIN; revoke them again (${commandLine(COMMANDS.revokeToken(), place)}): ${back.join(", ")}`,
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
    const done = await out.during("Restoring", () =>
      restoreBackup(directory, {
        file,
        revokeSessions: revoke,
        now: systemClock(),
        record: recordOf(file, revoke),
        keys: backupKeysAt(config),
        allow: (report) => {
          if (report.origin === "unsigned" && !args.on("unsigned"))
            throw new CliExit(EXIT.integrity, `${UNSIGNED}. If you trust its storage, continue with --unsigned`);
          const missing = missingKeys(report, config);
          if (missing.length === 0 || args.on("leave-closed")) return;
          throw new CliExit(
            EXIT.integrity,
            `${needsKeys(missing)}. Put it at ${directory.masterKey}, or continue with --leave-closed: the hub does not start until that key is restored, or \`${commandLine(COMMANDS.rotateKeysLeavingClosed(), place)}\` gave it another`,
          );
        },
      }),
    );
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
export const restore: RunVerb = async (invocation) => {
  const file = backupFile(invocation.args.needOperand(0), invocation.config().data_dir);
  return invocation.args.on("dry-run") ? rehearse(invocation, file) : apply(invocation, file);
};
