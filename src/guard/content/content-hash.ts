import { CONTENT_HMAC } from "#model/kept-content";
import { derivedKey, hashUnder, type KeyedHash } from "#platform/hash";
import { keyIdOf } from "#platform/sealing";
import { type HubSecretNeeds, hubSecret } from "./hub-secret";

type ContentHashNeeds = HubSecretNeeds & {
  /** The master key in force. */
  readonly masterKey: () => Uint8Array;
};

/** How kept content and the values of tuning rules are compared. Older hubs derived the key from their master key. */
export const contentHash = async ({ masterKey, ...deps }: ContentHashNeeds): Promise<KeyedHash> => {
  const { key, id } = await hubSecret(deps, CONTENT_HMAC, () => {
    const master = masterKey();
    return { key: derivedKey(master, CONTENT_HMAC), id: keyIdOf(master) };
  });
  return hashUnder(key, id);
};
