import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Setting } from "#config/load";
import type { Config } from "#config/schema";
import type { HubPlace } from "#core/command-line";
import type { Operating } from "#features/operating/port";
import type { SettingView, StorageView } from "#features/operating/schema";
import { FIRST_NODE } from "#platform/data-directory";
import type { MasterKeys } from "#platform/master-keys";
import { visible } from "./config";
import { runningChecks } from "./doctor";
import type { HubStore } from "./hub-store";
import { writeServeStatus } from "./serve-status";
import { COMMIT, VERSION } from "./version";

type Parts = {
  readonly config: Config;
  /** Where each value comes from; empty for who runs the hub inside their own process. */
  readonly settings: readonly Setting[];
  /** What commands name to mean this hub. */
  readonly place: HubPlace;
  readonly store: HubStore;
  readonly keys: MasterKeys;
  readonly unseal: (purpose: string, sealed: string) => string;
  readonly startedAt: number;
};

/** What a serving process tells of itself. */
export const operatingOf = (parts: Parts): Operating => {
  const { config, settings, place, store, startedAt } = parts;
  return {
    version: VERSION,
    commit: COMMIT,
    startedAt,
    listen: config.listen,
    guardMode: config.guard.mode,
    auditRetentionDays: config.audit.retention_days,
    keepBlockedHours: config.guard.keep_blocked_hours,
    passwordSignIn: config.password_sign_in === "on",
    signInProvider: config.oidc.issuer === "" ? null : config.oidc.name,
    reviewerModel: config.reviewer.model === "" ? null : config.reviewer.model,
    place,
    configuration: () => settings.map(shown),
    storage: () => storageOf(store),
    tell: (figures) => writeServeStatus(store.directory, store.nodes.here.self?.id ?? FIRST_NODE, figures),
    checks: () => runningChecks(config, parts, place),
  };
};

const shown = (setting: Setting): SettingView => ({
  key: setting.key.path,
  value: visible(setting),
  origin: setting.origin,
  default: setting.key.fallback,
  description: setting.key.description,
  secret: setting.key.secret,
});

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Of the files that lie in a folder and end so; nothing where there is none. */
const sizeWithin = (folder: string, end = ""): number => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(end)) : [];
  return names.reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);
};

const storageOf = ({ directory }: HubStore): StorageView => {
  const { bavail, bsize } = statfsSync(directory.path);
  return {
    data_dir: directory.path,
    database_bytes: sizeOf(directory.database) + sizeWithin(directory.nodeLogs, ".db"),
    wal_bytes: sizeOf(`${directory.database}-wal`) + sizeWithin(directory.nodeLogs, ".db-wal"),
    backup_bytes: sizeWithin(directory.backups),
    disk_free_bytes: bavail * bsize,
  };
};
