import { timingSafeEqual } from "node:crypto";
import { keyIdOf } from "./sealing";

/** SHA-256 of a secret, base64: what is stored and looked up instead of the secret itself. */
export const secretHash = (secret: string): string => Bun.SHA256.hash(secret, "base64");

/** As OWASP's cheat sheet has it: 19 MiB and two passes cost a guesser, and leave a small machine its memory. */
const ARGON = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON);

/** Takes as long for nobody's password as for somebody's, so that the time tells no stranger who is known here. */
export const isPassword = async (password: string, hash: string | null): Promise<boolean> => {
  if (hash !== null) return Bun.password.verify(password, hash);
  await hashPassword(password);
  return false;
};

/** Takes as long whatever is given: the time tells nothing of the secret. */
export const isSameSecret = (given: string, secret: string): boolean =>
  timingSafeEqual(Bun.SHA256.hash(given), Bun.SHA256.hash(secret));

/** SHA-256 in lower-case hexadecimal. */
export const sha256Hex = (text: string): string => Bun.SHA256.hash(text, "hex");

/** SHA-256 in base64url without padding: how the identity library stores tokens. */
export const urlHash = (secret: string): string => Bun.SHA256.hash(secret, "base64url");

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
