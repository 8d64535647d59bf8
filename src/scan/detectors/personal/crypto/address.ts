import { keccak_256 } from "@noble/hashes/sha3.js";
import { ALNUM, charSet, HEX, WORD } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { base58, isBase58Check, isMonero } from "./base58";

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** What a right text comes to: BIP 173, and BIP 350 for Bitcoin's later addresses. */
const RIGHT = [1, 0x2bc830a3];

/** A text of BIP 173: what stands before its `1` is part of what its last six characters check. */
export function isBech32(text: string): boolean {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return false;
  const split = lower.lastIndexOf("1");
  const head = [...lower.slice(0, split)].map((char) => char.charCodeAt(0));
  const data = [...lower.slice(split + 1)].map((char) => CHARSET.indexOf(char));
  if (data.length < 7 || data.includes(-1)) return false;
  const values = [...head.map((code) => code >> 5), 0, ...head.map((code) => code & 31), ...data];
  return RIGHT.includes(values.reduce(step, 1));
}

function step(sum: number, value: number): number {
  const top = sum >>> 25;
  const next = ((sum & 0x1ffffff) << 5) ^ value;
  return GENERATOR.reduce((all, by, i) => ((top >> i) & 1 ? all ^ by : all), next);
}

const LETTER = charSet("A-Za-z");
/** Letters before an address's first digit: that none comes in so many is one in a thousand. */
const MAX_LETTERS = 40;
const MAX_LENGTH = 110;
const CUE_DISTANCE = 48;
const CUE =
  /wallet|crypto|coin|address|deposit|donat|send|\bpay|\beth(?:ereum)?\b|\berc-?20|\busd[tc]\b|metamask|\bbnb\b|polygon/i;
const SOLANA = /\bsol(?:ana)?\b|phantom|wallet|\bspl\b/i;
const OF_DIGEST = /hash|digest|sha-?1|commit|\btx|transaction|signature/i;
const BECH32 = /^(?:bc|ltc|addr|stake|cosmos|osmo|terra|bnb|thor|dgb|vtc|juno|kava|inj|sei|akash)1/i;

/** Addresses of money on a chain. Most carry a checksum, which leaves nothing to chance. Found by a word's first digit. */
export const cryptoAddress: Detector = {
  id: "pii.crypto_address",
  category: "pii",
  severity: "medium",
  reach: MAX_LENGTH + 2,
  behind: MAX_LETTERS + CUE_DISTANCE,
  maxScore: 0.95,
  keywords: [],
  anchorDigits: true,
  begin: (view, at) => at - view.runBack(at, LETTER, MAX_LETTERS),
  pending: (view) => view.text.length - view.runBack(view.text.length, LETTER, MAX_LETTERS),
  read(view, at) {
    const letters = view.runBack(at, LETTER, MAX_LETTERS);
    const start = at - letters;
    if (letters === MAX_LETTERS || view.is(start - 1, WORD)) return null;
    if (letters === 0 && view.code(at) === 0x30 && view.code(at + 1) === 0x78) return ethereum(view, start);
    const width = letters + view.run(at, ALNUM, MAX_LENGTH + 1 - letters);
    if (view.short || width < 25 || width > MAX_LENGTH || view.is(start + width, WORD)) return null;
    const score = scored(view, start, view.slice(start, start + width));
    return score === 0 ? null : { start, end: start + width, score };
  },
};

/** What a family of addresses looks like, and how its checksum is read. */
const CHECKED: readonly (readonly [form: RegExp, isRight: (text: string) => boolean])[] = [
  [/^[13-9ADLMTXrt][A-Za-z\d]{24,35}$/, isBase58Check],
  [BECH32, isBech32],
  [/^[48](?:.{94}|.{105})$/, isMonero],
  [/^G[A-Z2-7]{55}$/, isStellar],
];

function scored(view: View, start: number, text: string): number {
  for (const [form, isRight] of CHECKED) if (form.test(text) && isRight(text)) return 0.95;
  // Solana's have no checksum: 32 bytes, and a word that says so.
  if (!/^(?=.*[a-z])(?=.*[A-Z]).{32,44}$/.test(text) || !SOLANA.test(view.before(start, CUE_DISTANCE))) return 0;
  return base58(text, 32) ? 0.6 : 0;
}

const ETHEREUM = 40;

function ethereum(view: View, start: number): Match | null {
  const from = start + 2;
  const end = from + ETHEREUM;
  if (view.run(from, HEX, ETHEREUM + 1) !== ETHEREUM || view.is(end, WORD)) return null;
  const text = view.slice(from, end);
  const before = view.before(start, CUE_DISTANCE);
  const cued = CUE.test(before);
  if (new Set(text).size < 6 || (!cued && OF_DIGEST.test(before))) return null;
  const score = ethereumScore(text, cued);
  return score === 0 ? null : { start, end, score };
}

/** In mixed case the case is the checksum; a wrong one counts only behind a cue. */
function ethereumScore(text: string, cued: boolean): number {
  if (text === text.toLowerCase() || text === text.toUpperCase()) return cued ? 0.8 : 0.4;
  return isEip55(text) ? 0.95 : cued ? 0.4 : 0;
}

/** EIP-55: a letter is a capital where the digest of the lower-case text has a digit of 8 or more. */
function isEip55(text: string): boolean {
  const lower = text.toLowerCase();
  const digest = keccak_256(Uint8Array.from(lower, (char) => char.charCodeAt(0)));
  return [...lower].every((char, i) => {
    const nibble = ((digest[i >> 1] ?? 0) >> (i % 2 === 0 ? 4 : 0)) & 0xf;
    return text.charAt(i) === (nibble >= 8 ? char.toUpperCase() : char);
  });
}

/** Stellar: base 32, the last two bytes are CRC-16 (XMODEM) of the others. */
function isStellar(text: string): boolean {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const char of text) {
    bits = ((bits << 5) | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char)) & 0xfff;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  let crc = 0;
  for (const byte of bytes.slice(0, -2)) {
    crc ^= byte << 8;
    for (let i = 0; i < 8; i++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return bytes.at(-2) === (crc & 0xff) && bytes.at(-1) === crc >> 8;
}
