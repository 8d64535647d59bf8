import { fold } from "#scan/fold/normalize";
import type { Rewrite } from "./rewrite";

/** One escape of URLs, HTML, JSON or JavaScript; bytes of UTF-8 beyond ASCII together. */
const ESCAPE =
  /(?:%[89a-f][0-9a-f]){1,8}|%[0-7][0-9a-f]|&#\d{1,7};?|&#x[0-9a-f]{1,6};?|&[a-z]{2,8};|\\{1,4}u(?:d[89ab][0-9a-f]{2}\\{1,4}ud[c-f][0-9a-f]{2}|[0-9a-f]{4}|\{[0-9a-f]{1,6}\})|\\{1,4}x[0-9a-f]{2}/iy;
/** What may yet become one, or a longer one. */
const ESCAPE_BEGUN =
  /^(?:%[0-9a-f]?|(?:%[89a-f][0-9a-f]){1,7}(?:%[89a-f]?)?|&[a-z]{0,8}|&#\d{0,7}|&#x[0-9a-f]{0,6}|\\{1,4}(?:[ux][0-9a-f]{0,3}|u\{[0-9a-f]{0,6}|ud[89ab][0-9a-f]{2}(?:\\{0,4}|\\{1,4}u[0-9a-f]{0,3}))?)$/i;
const MAX_ESCAPE = 32;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  commat: "@",
  period: ".",
  colon: ":",
  comma: ",",
  sol: "/",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  equals: "=",
  num: "#",
  Tab: " ",
  NewLine: "\n",
};
/** What values, the words before them and other escapes are written with; pointed brackets are escaped in all HTML. */
const TELLING = /^[\t\n\x20-\x7e]$/;
const POINTED = /[<>]/;
const UTF8 = new TextDecoder();
const PERCENT = 0x25;
const AMPERSAND = 0x26;

/** The escapes of a text, in its order, each with the characters it stands for; `most` units of them. */
export function escapesOf(text: string, most: number): Rewrite[] {
  const found: Rewrite[] = [];
  let given = 0;
  for (const mark of ["%", "&", "\\"]) {
    let at = text.indexOf(mark);
    while (at >= 0 && given < most) {
      const { length, meant } = escapeAt(text, at);
      if (meant) {
        found.push(meant);
        given += meant.text.length;
      }
      at = text.indexOf(mark, at + length);
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

/** The escape that begins with a mark, and how many units are not to be looked at again. */
export function escapeAt(text: string, at: number): { readonly length: number; readonly meant?: Rewrite } {
  const simple = percentAt(text, at);
  if (simple >= 0) return escapeOf(at, at + 3, String.fromCharCode(simple));
  ESCAPE.lastIndex = at;
  const escaped = ESCAPE.exec(text)?.[0];
  if (escaped === undefined) return { length: 1 };
  const end = at + escaped.length;
  const meant = unescaped(escaped);
  if (meant === undefined) return { length: escaped.length };
  return escapeOf(at, end, meant);
}

function escapeOf(start: number, end: number, meant: string): { length: number; meant: Rewrite } {
  const telling = TELLING.test(meant) && !POINTED.test(meant);
  return { length: end - start, meant: { start, end, text: meant, telling } };
}

/** The ASCII character that a percent sign and the two digits behind it stand for: the escape of most texts with many. -1 for none. */
function percentAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT || at + 2 >= text.length) return -1;
  const [high, low] = [digitOf(text.charCodeAt(at + 1)), digitOf(text.charCodeAt(at + 2))];
  return high < 8 && low < 16 ? high * 16 + low : -1;
}

/** The value of a hexadecimal digit; 16 for what is none. */
function digitOf(unit: number): number {
  if (unit > 0x2f && unit < 0x3a) return unit - 0x30;
  const lower = unit | 0x20;
  return lower > 0x60 && lower < 0x67 ? lower - 0x57 : 16;
}

/** Whether an escape that begins at `at` may go on behind the text's end. */
export function isEscapeOpen(text: string, at: number): boolean {
  if (text.length - at >= MAX_ESCAPE) return false;
  const simple = percentAt(text, at);
  if (simple >= 0) return simple === AMPERSAND && at + 3 === text.length;
  if (ESCAPE_BEGUN.test(text.slice(at))) return true;
  const { length, meant } = escapeAt(text, at);
  // What stands behind it tells whether another escape was escaped.
  return at + length === text.length && meant?.text === "&";
}

function unescaped(escaped: string): string | undefined {
  if (escaped.startsWith("%")) return plain(UTF8.decode(bytes(escaped.replaceAll("%", ""))));
  if (escaped.startsWith("&#")) {
    const digits = escaped.replace(/^&#|;$/g, "");
    return character(/^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits));
  }
  if (escaped.startsWith("&")) return NAMED[escaped.slice(1, -1)];
  const codes = Array.from(escaped.matchAll(/[ux]\{?([0-9a-f]+)/gi), ([, digits]) => Number.parseInt(digits ?? "", 16));
  if (codes.length === 1) return character(codes[0] ?? 0);
  return plain(String.fromCharCode(...codes));
}

function character(code: number): string | undefined {
  return code > 0x10ffff ? undefined : plain(String.fromCodePoint(code));
}

/** What was escaped may be disguised in its turn. */
function plain(text: string): string {
  return fold(text).text;
}

export function bytes(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length >> 1 }, (_, i) => Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16));
}
