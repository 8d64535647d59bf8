import { BLANK, charSet, SPACE } from "#scan/char-set";
import type { View } from "#scan/view";

const NAME = charSet("A-Za-z0-9_.-");
const MAX_NAME_LENGTH = 32;
const LETTER = charSet("A-Za-z");
const MAX_WORD_LENGTH = 8;
const QUOTE = charSet("\"'`\\");
/** Marks of a string in Python, C and SQL: b"…", r'…', @"…", N'…'. */
const MARK = charSet("bruLN@");
/** What may stand between a name and its operator: the name's quote or index, blanks, a line break. */
const CLOSING = charSet("\"'`\\]) *\t\r\n");
const MAX_CLOSING_LENGTH = 24;
const SIGN = charSet(":=?>.|+,-");
const SIGNS = new Set(["=", ":", ":=", "=>", "::=", ":::=", "?=", ".=", "+=", "||=", "|", "->", "==", "===", ",", ">"]);
/** Between name and operator (`var token string =`) or behind a colon (`token: string =`). */
const TYPES = new Set(["string", "String", "str", "char", "text", "varchar"]);
/** `name="password" value="…"`, and the same over two lines of YAML. */
const VALUE_WORDS = new Set(["value", "Value"]);
const VERBS = new Set(["is", "was", "be", "by", "to"]);

const COLON = 0x3a;
const STAR = 0x2a;

export type Assigned = {
  readonly nameEnd: number;
  readonly start: number;
  readonly quoted: boolean;
  /** Words or a blank alone say that the value is one, not a sign. */
  readonly loose: boolean;
  /** A comma or a bracket: name and value may be no more than neighbours in a list, a name that of any function. */
  readonly listed: boolean;
};

/** Units from the end of the name's known part to the first of the value, at most. */
export const MAX_ASSIGNMENT_LENGTH = MAX_NAME_LENGTH + 2 * (MAX_CLOSING_LENGTH + MAX_WORD_LENGTH) + 5 + 24 + 4 + 64;

/**
 * The value given to a name whose known part ends at `at`, in the ways of programs, shells, JSON,
 * YAML, XML, headers, function arguments, and sentences.
 */
export function assignedValue(view: View, at: number): Assigned | null {
  const nameEnd = at + view.run(at, NAME, MAX_NAME_LENGTH);
  let i = nameEnd + view.run(nameEnd, CLOSING, MAX_CLOSING_LENGTH);
  const crossed = view.before(i, i - nameEnd).includes("\n");
  if (view.code(i) === 0x28) {
    if (crossed) return null;
    const past = i > nameEnd ? behindAside(view, i) : i;
    return past > i ? signed(view, nameEnd, past) : listed(view, nameEnd, i + 1);
  }
  const width = view.run(i, LETTER, MAX_WORD_LENGTH);
  const word = width === 0 ? "" : view.before(i + width, width);
  if (VALUE_WORDS.has(word)) i += width + view.run(i + width, CLOSING, MAX_CLOSING_LENGTH);
  else if (crossed) return null;
  else if (TYPES.has(word)) i += width + view.run(i + width, BLANK, 8);
  else if (VERBS.has(word) && (view.is(i + width, SPACE) || view.code(i + width) === COLON)) {
    const colon = view.code(i + width) === COLON ? 1 : 0;
    return opened(view, nameEnd, i + width + colon, true);
  } else if (width > 0) return i > nameEnd ? opened(view, nameEnd, i, true) : null;
  return signed(view, nameEnd, i);
}

/** The operator at `i`, or nothing but the blank or quote before it. */
function signed(view: View, nameEnd: number, i: number): Assigned | null {
  const width = view.run(i, SIGN, 4);
  if (width === 0) return i > nameEnd ? opened(view, nameEnd, i, true) : null;
  const operator = view.before(i + width, width);
  if (!SIGNS.has(operator)) return null;
  const next = i + width;
  if (operator === ">") return opened(view, nameEnd, next + view.run(next, SPACE, 24), false);
  if (operator === ",") return listed(view, nameEnd, next);
  if (operator === "|") return opened(view, nameEnd, next, true);
  const at = next + view.run(next, BLANK, 16);
  const below = operator === ":" ? blockStart(view, at) : at;
  return below > at ? opened(view, nameEnd, below, true) : typed(view, nameEnd, at);
}

/** `setProperty("token", "…")` and `setToken("…")`: only a literal is a value. */
function listed(view: View, nameEnd: number, at: number): Assigned | null {
  const value = opened(view, nameEnd, at, false);
  if (!value.quoted) return null;
  const word = view.run(value.start, LETTER, MAX_WORD_LENGTH);
  // `{"name": "TOKEN", "value": "…"}`
  if (VALUE_WORDS.has(view.before(value.start + word, word))) {
    const colon = value.start + word + view.run(value.start + word, CLOSING, MAX_CLOSING_LENGTH);
    if (view.code(colon) === COLON) return opened(view, nameEnd, colon + 1, false);
  }
  return { ...value, listed: true };
}

/** `token (production): …` */
const ASIDE = charSet("A-Za-z0-9_ .,/-");
const MAX_ASIDE_LENGTH = 24;

/** Behind the brackets at `at`, if a sign follows them that gives a value; else `at`. */
function behindAside(view: View, at: number): number {
  const end = at + 1 + view.run(at + 1, ASIDE, MAX_ASIDE_LENGTH);
  if (view.code(end) !== 0x29) return at;
  const sign = end + 1 + view.run(end + 1, BLANK, 2);
  return view.is(sign, GIVES) ? sign : at;
}
const GIVES = charSet(":=");

/** `password: string = "…"`. */
function typed(view: View, nameEnd: number, at: number): Assigned | null {
  const width = view.run(at, LETTER, MAX_WORD_LENGTH);
  if (width === 0 || !TYPES.has(view.before(at + width, width))) return opened(view, nameEnd, at, false);
  const sign = at + width + view.run(at + width, BLANK, 8);
  if (view.code(sign) !== 0x3d) return null;
  return opened(view, nameEnd, sign + 1, false);
}

function opened(view: View, nameEnd: number, at: number, loose: boolean): Assigned {
  let start = at + view.run(at, BLANK, 8);
  // Markdown's bold type ends behind the sign.
  if (view.code(start) === STAR && view.code(start + 1) === STAR) start += 2 + view.run(start + 2, BLANK, 2);
  if (view.is(start, MARK) && view.is(start + 1, QUOTE)) start++;
  const quotes = view.run(start, QUOTE, 3);
  return { nameEnd, start: start + quotes, quoted: quotes > 0, loose, listed: false };
}

const BLOCK_SIGN = charSet(">|");
const BREAK = charSet("\r\n");
const MAX_INDENT = 16;

/** The first line of a value that stands below its name, by itself or as a YAML block; `at` where there is none. */
function blockStart(view: View, at: number): number {
  let line = at;
  if (view.is(line, BLOCK_SIGN)) line += 1 + (view.code(line + 1) === 0x2d ? 1 : 0);
  const breaks = view.run(line, BREAK, 2);
  if (breaks === 0) return at;
  const indent = view.run(line + breaks, BLANK, MAX_INDENT);
  return indent === 0 || indent === MAX_INDENT ? at : line + breaks + indent;
}
