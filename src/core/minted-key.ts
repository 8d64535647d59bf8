import { base62, crc32 } from "#core/checksums";

/*
 * What the hub's own secrets look like: a prefix that says which kind it is, chance, and a checksum that lets
 * scanners and authentication tell a typo from a key.
 */

/** 32 base62 characters: 190 bits of randomness. */
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** Twice what a key needs: a few bytes are skipped when minting. */
export const KEY_RANDOM_BYTES = 64;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new key of that prefix, from `KEY_RANDOM_BYTES` of randomness. */
export const mintKey = (prefix: string, random: Uint8Array): string => {
  let body = "";
  for (const byte of random) {
    // 62 * 4 = 248: bytes above are skipped so that every character is equally likely.
    if (byte < 248) body += ALPHABET.charAt(byte % 62);
    if (body.length === RANDOM_LENGTH) break;
  }
  if (body.length < RANDOM_LENGTH) throw new Error("mintKey needs more random bytes");
  return prefix + body + base62(crc32(prefix + body), CHECKSUM_LENGTH);
};

/** Whether a key ends in the checksum of all before it. */
export const hasChecksum = (key: string): boolean =>
  base62(crc32(key.slice(0, -CHECKSUM_LENGTH)), CHECKSUM_LENGTH) === key.slice(-CHECKSUM_LENGTH);
