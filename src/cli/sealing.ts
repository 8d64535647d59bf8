import type { Config } from "#config/schema";
import type { DataDirectory } from "#platform/data-directory";
import { MasterKeys } from "#platform/master-keys";
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
