const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** CRC-32 of each byte. */
const CRCS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 (ISO-HDLC, as zip and PNG use it) over the low bytes of `text`'s units. Each call's token has one. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ (CRCS[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

/** `n` in base 62 (0-9A-Za-z), padded with zeros to `width`. */
export function base62(n: number, width: number): string {
  let text = "";
  for (let rest = n; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text.padStart(width, "0");
}

/** Luhn's check over a string of ASCII digits. ISO/IEC 7812-1 annex B. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const value = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? value * 2 : value;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Remainder by 97 of an IBAN with its first four characters moved to the end. ISO 13616. */
export function ibanRemainder(iban: string): number {
  const moved = iban.slice(4) + iban.slice(0, 4);
  let rest = 0;
  for (let i = 0; i < moved.length; i++) {
    const value = Number.parseInt(moved.charAt(i), 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** Shannon entropy in bits per character, over the low bytes of `text`'s units. */
export function entropy(text: string): number {
  const counts = new Uint32Array(256);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i) & 0xff;
    counts[unit] = (counts[unit] ?? 0) + 1;
  }
  let bits = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i) & 0xff;
    const count = counts[unit] ?? 0;
    if (count > 0) bits -= (count / text.length) * Math.log2(count / text.length);
    counts[unit] = 0;
  }
  return bits;
}

/** Whether a text has at least so many different units; looks no further than it must. */
export function hasDifferent(text: string, least: number): boolean {
  let different = 0;
  for (let i = 0; i < text.length && different < least; i++) if (text.indexOf(text.charAt(i)) === i) different++;
  return different >= least;
}

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
