import { keyIdOf } from "./sealing";

/** HMAC-SHA-256 under a key of its own. `keyId` names the master key behind it. */
export type KeyedHash = {
  readonly keyId: string;
  /** Lower-case hexadecimal. */
  readonly of: (text: string) => string;
};

/** The key is derived from the master key for one purpose, so that hashes made for another say nothing about these. */
export const keyedHash = (masterKey: Uint8Array, purpose: string): KeyedHash => {
  const key = new Bun.CryptoHasher("sha256", masterKey).update(`guardhouse\nkeyed-hash v1\n${purpose}`).digest();
  return {
    keyId: keyIdOf(masterKey),
    of: (text) => new Bun.CryptoHasher("sha256", key).update(text).digest("hex"),
  };
};
