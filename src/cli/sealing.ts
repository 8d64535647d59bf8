import { existsSync } from "node:fs";
import type { Config } from "#config/schema";
import { type DataDirectory, openDataDirectory } from "#platform/data-directory";
import { derivedKey } from "#platform/hash";
import { MasterKeys, parseMasterKey } from "#platform/master-keys";
import { keyIdOf } from "#platform/sealing";
import { BACKUP_KEY, type BackupKeys } from "#store/backup-port";
import { placeOf } from "#store/sealed-places";

export const masterKeysOf = (directory: DataDirectory, { master_key }: Config): MasterKeys =>
  new MasterKeys(directory, master_key);

/** Seals and opens with the master keys in force; nothing is sealed for a place a change of the key would not find. */
export const sealingWith = (keys: MasterKeys) => ({
  seal: (purpose: string, secret: string): string => {
    placeOf(purpose);
    return keys.seal(purpose, secret);
  },
  unseal: keys.unseal,
  masterKey: () => keys.current(),
});

/** What backups are signed with; the master key is made when there is none. */
export const backupSigning = (keys: MasterKeys) => ({
  current: () => {
    const keyId = keyIdOf(keys.current());
    return { keyId, key: keys.derived(BACKUP_KEY)[keyId] ?? "" };
  },
  all: (): BackupKeys => keys.derived(BACKUP_KEY),
});

/** What backups may have been signed with, as far as it is known here. Makes neither a data directory nor a key. */
export const backupKeysAt = (config: Config): BackupKeys => {
  if (existsSync(config.data_dir)) return masterKeysOf(openDataDirectory(config.data_dir), config).derived(BACKUP_KEY);
  if (config.master_key === null) return {};
  const key = parseMasterKey(config.master_key, "in the configuration");
  return { [keyIdOf(key)]: Buffer.from(derivedKey(key, BACKUP_KEY)).toString("hex") };
};
