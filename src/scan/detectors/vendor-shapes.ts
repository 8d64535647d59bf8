import { base62, crc32, entropy } from "#core/checksums";
import { ALNUM, type CharSet, charSet, HEX, TOKEN } from "#scan/char-set";
import { shapesOf, type TokenShape } from "./prefixed-token";
import { isWordy } from "./spoken";

/** Behind these a prefix without a mark of its own is a piece of base64, of a file name or of a word. */
export const EDGE = charSet("A-Za-z0-9+._");
export const UPPER = charSet("A-Z0-9");
export const DOTTED = charSet("A-Za-z0-9_.-");
export const PADDED = charSet("A-Za-z0-9_=-");
export const BASE64_PADDED = charSet("A-Za-z0-9+/=_-");
export const PATH = charSet("A-Za-z0-9/@_-");
export const HEX_DASHED = charSet("0-9a-fA-F-");

const BOTH_CASES = /[a-z].*[A-Z]|[A-Z].*[a-z]/;
/** From here on a body may be of one case without digits. */
const LONG = 20;

/** 1 for a body that looks drawn at random, 0 for words. */
export function drawn(body: string): number {
  if (!/[A-Za-z]/.test(body) || entropy(body) < 3) return 0;
  if (body.length < LONG && /\d/.test(body)) return 1;
  return (body.length >= LONG || BOTH_CASES.test(body)) && !isWordy(body) ? 1 : 0;
}

/** A body that must also have this form. */
export const formed =
  (form: RegExp) =>
  (body: string): number =>
    form.test(body) ? drawn(body) : 0;

/** A UUID, RFC 9562 §4. */
export const uuid = formed(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

/** The last six characters are the base-62 CRC-32 of those before. Source: GitHub blog, 2021-04-05. */
export const checked = (body: string): number =>
  base62(crc32(body.slice(0, -6)), 6) === body.slice(-6) ? 1 : drawn(body) * 0.85;

/** A row of a table: prefixes that blanks part, then what follows each of them. */
const row =
  (set: CharSet, exact: boolean) =>
  (prefixes: string, length: number, score: (body: string) => number = drawn): TokenShape[] =>
    shapesOf(prefixes, { set, length, exact, score });

export const hex = row(HEX, true);
export const alnum = row(ALNUM, true);
export const upper = row(UPPER, true);
/** From here on `length` is the least. */
export const longAlnum = row(ALNUM, false);
export const token = row(TOKEN, false);
export const dotted = row(DOTTED, false);
export const padded = row(PADDED, false);
export const base64 = row(BASE64_PADDED, false);
export const path = row(PATH, false);
export const dashedHex = row(HEX_DASHED, false);
