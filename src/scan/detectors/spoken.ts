import { ALNUM, inSet } from "#scan/char-set";

const A = 0x61;

/**
 * Which letters follow a, b, … z in words: what makes up 95.5 % of the pairs in the words of technical English and of
 * names in code, counted by word. Half of all pairs, so that chance seldom speaks for long. As bits, the lowest for an a.
 */
const FOLLOWERS: readonly number[] = [
  "abcdefgiklmnprstuvwxy",
  "abcdefijlorsuy",
  "abcdefhiklmoprstuy",
  "abcdefilnorstu",
  "abcdefghiklmnopqrstuvwxy",
  "abcdefilorstuy",
  "aeghilnorsu",
  "aeiortu",
  "abcdefgklmnoprstvxz",
  "aeos",
  "aeios",
  "adeilopstuy",
  "abdeilmopsu",
  "acdefgiklnopstuvy",
  "abcdfgiklmnoprstuvw",
  "acehiloprstuy",
  "u",
  "abcdefgiklmnoprstuvy",
  "acdefhiklmnoprstuwy",
  "acdefhilmnoprstuy",
  "abcdefgilmnprst",
  "aeio",
  "aehinors",
  "ceipt",
  "aenpst",
  "aei",
].map((letters) => Array.from(letters).reduce((bits, letter) => bits | (1 << (letter.charCodeAt(0) - A)), 0));

/** Of so many pairs a word may have one that is unusual. */
const PAIRS_PER_SLIP = 5;

/** Whether the letters from `from` to `to` could be a word. Of four drawn at random one in eight passes. */
function isSpoken(value: string, from: number, to: number): boolean {
  let slips = Math.floor((to - from - 1) / PAIRS_PER_SLIP);
  for (let i = from + 1; i < to; i++) {
    // Bit 6 makes a small letter of a capital.
    const followers = FOLLOWERS[(value.charCodeAt(i - 1) | 0x20) - A] ?? 0;
    if (((followers >> ((value.charCodeAt(i) | 0x20) - A)) & 1) === 0 && --slips < 0) return false;
  }
  return true;
}

const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLower = (code: number): boolean => code >= A && code <= 0x7a;

/** The end of the letters at `from` as they stand in names: of one case, but for a capital in front. */
function runEnd(value: string, from: number): number {
  let at = from;
  while (isUpper(value.charCodeAt(at))) at++;
  const capitals = at - from;
  if (capitals > 1) return isLower(value.charCodeAt(at)) ? at - 1 : at;
  while (isLower(value.charCodeAt(at))) at++;
  return at;
}

/** Whether a value is made of words in the main: more than half of its letters and digits could be spoken. */
export function isWordy(value: string): boolean {
  let spoken = 0;
  let all = 0;
  for (let at = 0; at < value.length; ) {
    const end = runEnd(value, at);
    if (end - at > 2 && isSpoken(value, at, end)) spoken += end - at;
    if (inSet(ALNUM, value.charCodeAt(at))) all += Math.max(1, end - at);
    at = Math.max(at + 1, end);
  }
  return spoken * 2 > all;
}

/** Words run together, each perhaps with a number behind it; capitals; a number. */
const PART = /^(?:[a-z]*(?:\d{1,5}[a-z]{0,2})?(?:[A-Z][a-z]+\d{0,5})*|[A-Z]+\d{0,5}|v?\d{1,10}[a-z]?)$/;
/** Shorter runs are often initials. */
const MIN_WORD_LENGTH = 7;

/** Whether a value is a name of several parts, as `ssh-ed25519`, `pkcs12_key_as_pem`, `projects/123/keys/1` are. */
export function isName(value: string): boolean {
  if (!/^[\w./:,+ -]+$/.test(value)) return false;
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return parts.length > 1 && parts.every(isPart);
}

function isPart(part: string): boolean {
  if (!PART.test(part)) return false;
  for (let at = 0; at < part.length; ) {
    const end = runEnd(part, at);
    if (end - at >= MIN_WORD_LENGTH && !isSpoken(part, at, end)) return false;
    at = Math.max(at + 1, end);
  }
  return true;
}
