import { CONTENT_HMAC } from "#model/kept-content";
import { derivedKey, hashUnder, type KeyedHash } from "#platform/hash";
import { keyIdOf, type Sealing } from "#platform/sealing";
import type { HubSecretStore } from "#store/sealed-port";

const BYTES = 32;

export type HubSecretNeeds = Sealing & {
  readonly secrets: HubSecretStore;
};

/** `id` names it in what is made with it. */
export type HubKey = { readonly key: Uint8Array; readonly id: string };

const random = (): HubKey => {
  const key = crypto.getRandomValues(new Uint8Array(BYTES));
  return { key, id: keyIdOf(key) };
};

/**
 * A random secret of the hub's own, the same in every process and for good: it outlives the master key, which only seals
 * it. Made at the first use. `derived` is what stands in for it in a hub that did without before.
 */
export const hubSecret = async (
  { secrets, seal, unseal }: HubSecretNeeds,
  name: string,
  derived: () => HubKey = random,
): Promise<HubKey> => {
  const purpose = `hub_secret:${name}`;
  const keep = ({ key, id }: HubKey) =>
    secrets.keep({ name, key_id: id, sealed: seal(purpose, Buffer.from(key).toString("base64")) });
  const known = await secrets.byName(name);
  const kept = known === null ? await keep(random()) : known === "older" ? await keep(derived()) : known;
  return { key: Buffer.from(unseal(purpose, kept.sealed), "base64"), id: kept.key_id };
};

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
