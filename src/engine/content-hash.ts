import { CONTENT_HMAC } from "#core/kept-content";
import { derivedKey, hashUnder, type KeyedHash } from "#platform/keyed-hash";
import { keyIdOf } from "#platform/sealing";
import type { HubSecretStore } from "#store/sealed-port";

const KEY_BYTES = 32;
const PURPOSE = `hub_secret:${CONTENT_HMAC}`;

type Deps = {
  readonly secrets: HubSecretStore;
  /** The master key in force. */
  readonly masterKey: () => Uint8Array;
  /** Both with the master key, bound to a purpose. */
  readonly seal: (purpose: string, secret: string) => string;
  readonly unseal: (purpose: string, sealed: string) => string;
};

/**
 * How kept content and the values of tuning rules are compared: under a secret of its own, so that hashes outlive the
 * master key. Made at the first use. A hub from before there were such secrets goes on with the key it derived.
 */
export const contentHash = async ({ secrets, masterKey, seal, unseal }: Deps): Promise<KeyedHash> => {
  const known = await secrets.byName(CONTENT_HMAC);
  const made = (): { key: Uint8Array; key_id: string } => {
    if (known === "older") return { key: derivedKey(masterKey(), CONTENT_HMAC), key_id: keyIdOf(masterKey()) };
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    return { key, key_id: keyIdOf(key) };
  };
  const keep = ({ key, key_id }: ReturnType<typeof made>) =>
    secrets.keep({ name: CONTENT_HMAC, key_id, sealed: seal(PURPOSE, Buffer.from(key).toString("base64")) });
  const kept = known === null || known === "older" ? await keep(made()) : known;
  return hashUnder(Buffer.from(unseal(PURPOSE, kept.sealed), "base64"), kept.key_id);
};
