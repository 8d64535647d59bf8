import { keyIdOf } from "./sealing";

/** HMAC-SHA-256 under a key of its own. `keyId` names that key, or the master key it was derived from. */
export type KeyedHash = {
  readonly keyId: string;
  /** Lower-case hexadecimal. */
  readonly of: (text: string) => string;
};

/** Derived for one purpose, so that hashes made for another say nothing about these. */
export const derivedKey = (masterKey: Uint8Array, purpose: string): Uint8Array =>
  new Bun.CryptoHasher("sha256", masterKey).update(`guardhouse\nkeyed-hash v1\n${purpose}`).digest();

export const hashUnder = (key: Uint8Array, keyId: string): KeyedHash => {
  // A copy of what begins with the key costs half of a new one.
  const begun = new Bun.CryptoHasher("sha256", key);
  return { keyId, of: (text) => begun.copy().update(text).digest("hex") };
};

export const keyedHash = (masterKey: Uint8Array, purpose: string): KeyedHash =>
  hashUnder(derivedKey(masterKey, purpose), keyIdOf(masterKey));

/** The same as bytes. */
export const hashesUnder = (key: Uint8Array): ((text: string) => Uint8Array) => {
  const begun = new Bun.CryptoHasher("sha256", key);
  return (text) => begun.copy().update(text).digest();
};
