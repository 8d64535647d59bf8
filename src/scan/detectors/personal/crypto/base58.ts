import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

const BITCOIN = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const RIPPLE = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";
const NONE = /[0OIl]/;
/** First bytes: Bitcoin, Litecoin, Dogecoin, Dash, Tron. */
const VERSIONS = [0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x4c, 0x10, 0x41];
/** First two bytes: Zcash's transparent addresses. */
const LONG_VERSIONS = [0x1cb8, 0x1cbd];

/** The bytes a text stands for in base 58, `size` of them; null if they are more or less, or it is not base 58. */
export function base58(text: string, size: number, alphabet = BITCOIN): Uint8Array | null {
  // Digits and letters that none of the alphabets have end most digests here.
  if (NONE.test(text)) return null;
  const bytes = new Uint8Array(size);
  for (const char of text) {
    let carry = alphabet.indexOf(char);
    if (carry < 0) return null;
    for (let i = size - 1; i >= 0; i--) {
      carry += (bytes[i] ?? 0) * 58;
      bytes[i] = carry & 0xff;
      carry >>= 8;
    }
    if (carry !== 0) return null;
  }
  return bytes;
}

const startsWith = (bytes: Uint8Array, head: Uint8Array): boolean => bytes.every((byte, i) => byte === head[i]);

function isChecked(bytes: Uint8Array | null): bytes is Uint8Array {
  if (!bytes) return false;
  return startsWith(bytes.subarray(-4), sha256(sha256(bytes.subarray(0, -4))));
}

/** An address whose last four bytes check the others: the first of SHA-256 of their SHA-256. */
export function isBase58Check(text: string): boolean {
  if (text.startsWith("r")) {
    const bytes = base58(text, 25, RIPPLE);
    return isChecked(bytes) && bytes[0] === 0;
  }
  if (text.startsWith("t")) {
    const bytes = base58(text, 26);
    return isChecked(bytes) && LONG_VERSIONS.includes(((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0));
  }
  const bytes = base58(text, 25);
  return isChecked(bytes) && VERSIONS.includes(bytes[0] ?? -1);
}

/** Monero writes blocks of eight bytes as eleven characters; the last four bytes are Keccak's over the rest. */
export function isMonero(text: string): boolean {
  const parts = text.match(/.{1,11}/g) ?? [];
  const sizes = new Map([
    [11, 8],
    [7, 5],
  ]);
  const blocks = parts.map((part) => base58(part, sizes.get(part.length) ?? 0));
  const bytes: number[] = [];
  for (const block of blocks) {
    if (!block || block.length === 0) return false;
    bytes.push(...block);
  }
  const whole = Uint8Array.from(bytes);
  return startsWith(whole.subarray(-4), keccak_256(whole.subarray(0, -4)));
}
