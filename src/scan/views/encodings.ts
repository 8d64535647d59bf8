import { fold } from "#scan/fold/normalize";
import { bytes } from "./escapes";
import type { Rewrite } from "./rewrite";
import type { Survey, TextRun } from "./survey";

const HEX = /^(?:[0-9a-f]{2})+$/i;
const MIN_LENGTH = 16;
/** Units decoded before the rest of a token: hashes, keys and pictures end here. */
const TRIED = 16;
const STRICT = new TextDecoder("utf-8", { fatal: true });
const SLASH = 0x2f;
const UNDERSCORE = 0x5f;
const DASH = 0x2d;

/** What a unit stands for in base64 or base64url, and in hexadecimal; 255 for nothing. */
const SEXTETS = digitTable("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", [
  ["-", 62],
  ["_", 63],
]);
const NIBBLES = digitTable(
  "0123456789abcdef",
  [..."ABCDEF"].map((digit, i) => [digit, 10 + i] as const),
);

function digitTable(digits: string, more: readonly (readonly [string, number])[]): Uint8Array {
  const table = new Uint8Array(128).fill(255);
  for (const [i, digit] of [...digits].entries()) table[digit.charCodeAt(0)] = i;
  for (const [digit, value] of more) table[digit.charCodeAt(0)] = value;
  return table;
}

type Tokens = Pick<Survey, "encoded" | "pairs">;

/** Tokens that are text in base64, base64url or hexadecimal; `most` units of decoded text. */
export function decodedTokens(text: string, { encoded, pairs }: Tokens, most: number): Rewrite[] {
  const found: Rewrite[] = [];
  if (encoded.length === 0 && pairs.length === 0) return found;
  let left = most;
  const take = ({ start, end }: TextRun, meant: string | undefined): boolean => {
    if (meant === undefined || meant.length > left) return false;
    left -= meant.length;
    found.push({ start, end, text: meant, telling: true });
    return true;
  };
  const wrapped = wrappedTokens(text, encoded);
  let done = 0;
  for (const run of encoded) {
    if (run.start < done) continue;
    const whole = wrapped.get(run.start);
    if (whole && takeWrapped(text, whole, take)) {
      done = whole.end;
      continue;
    }
    if (takeToken(text, run, take)) continue;
    // A path or a name may stand before it, parted by a unit of the alphabet.
    const start = lastPart(text, run);
    if (start > run.start && run.end - start >= MIN_LENGTH) takeToken(text, { start, end: run.end }, take);
  }
  for (const run of pairs) take(run, readable(bytes(text.slice(run.start, run.end).replace(/[^0-9a-f]/gi, ""))));
  return found.sort((one, other) => one.start - other.start);
}

function takeToken(
  text: string,
  { start, end }: TextRun,
  take: (run: TextRun, meant: string | undefined) => boolean,
): boolean {
  const prefix = text.startsWith("0x", start) || text.startsWith("0X", start) ? 2 : 0;
  if (beginsText(text, start + prefix, NIBBLES, 4)) {
    const token = text.slice(start + prefix, end);
    if (HEX.test(token) && take({ start, end }, readable(bytes(token)))) return true;
  }
  if (!beginsText(text, start, SEXTETS, 6) || isTokenPart(text, start, end)) return false;
  const padding = text.startsWith("==", end) ? 2 : Number(text.startsWith("=", end));
  return take({ start, end: end + padding }, fromBase64(text.slice(start, end)));
}

/** Lines of one token: of equal length, the last one perhaps shorter. MIME breaks at 76 units, PEM at 64, mails and people anywhere. */
type Wrapped = TextRun & { readonly lines: readonly TextRun[] };

/** Between two lines: a line end, the next one's margin or quotation marks; or blanks, where a tool has joined lines. */
const LINE_GAP = /^(?:\r?\n[ \t>]{0,16}| {1,2})$/;
/** What may yet become one. */
const LINE_GAP_BEGUN = /^(?:\r?(?:\n[ \t>]{0,16})?| {0,2})$/;
const MAX_GAP = 18;
const LAST_LINE = /(?:\r?\n[ \t>]{0,16}| {1,2})([A-Za-z0-9+/_-]{1,15}(?![A-Za-z0-9+/_-]))/y;
const MIN_LINES = 2;

/** By the place of their first line, the tokens that go on over several. */
function wrappedTokens(text: string, encoded: readonly TextRun[]): Map<number, Wrapped> {
  const found = new Map<number, Wrapped>();
  for (let i = 0; i < encoded.length; ) {
    const lines = linesFrom(text, encoded, i);
    i += lines.length;
    const [first, last] = [lines[0], lines.at(-1)];
    if (!first || !last) break;
    const rest = lastLine(text, first, last);
    const all = rest ? [...lines, rest] : lines;
    if (all.length >= MIN_LINES) found.set(first.start, { start: first.start, end: (rest ?? last).end, lines: all });
  }
  return found;
}

function linesFrom(text: string, encoded: readonly TextRun[], from: number): TextRun[] {
  const lines: TextRun[] = [];
  let width = 0;
  for (let i = from; i < encoded.length; i++) {
    const run = encoded[i];
    const before = lines.at(-1);
    if (!run) break;
    if (before && !(isNextLine(text, before, run) && run.end - run.start <= width)) break;
    lines.push(run);
    width ||= run.end - run.start;
    if (run.end - run.start < width) break;
  }
  return lines;
}

export const isNextLine = (text: string, { end }: TextRun, { start }: TextRun): boolean =>
  start - end <= MAX_GAP && LINE_GAP.test(text.slice(end, start));

/** Whether a line may begin behind the end of one, as far as the text between them is known. */
export const mayGoOn = (text: string, end: number, to: number): boolean =>
  to - end <= MAX_GAP && LINE_GAP_BEGUN.test(text.slice(end, to));

/** A last line that is too short to be told from a word by itself. */
function lastLine(text: string, first: TextRun, last: TextRun): TextRun | undefined {
  if (last.end - last.start < first.end - first.start) return undefined;
  LAST_LINE.lastIndex = last.end;
  const found = LAST_LINE.exec(text);
  if (!found) return undefined;
  const end = last.end + found[0].length;
  return { start: end - (found[1] ?? "").length, end };
}

/** With the last line, or without it where that is a word of what follows. */
function takeWrapped(
  text: string,
  { lines }: Wrapped,
  take: (run: TextRun, meant: string | undefined) => boolean,
): boolean {
  const [first] = lines;
  if (!first || !beginsText(text, first.start, SEXTETS, 6) || isTokenPart(text, first.start, first.end)) return false;
  return [lines, lines.slice(0, -1)].some((used) => {
    const end = used.at(-1)?.end ?? first.end;
    const padding = text.startsWith("==", end) ? 2 : Number(text.startsWith("=", end));
    const token = used.map((line) => text.slice(line.start, line.end)).join("");
    return used.length >= MIN_LINES && take({ start: first.start, end: end + padding }, fromBase64(token));
  });
}

/** Whether the first units of a token decode to what text can begin with: cheap, and true of few other tokens. */
function beginsText(text: string, start: number, table: Uint8Array, width: number): boolean {
  let bits = 0;
  let held = 0;
  let following = 0;
  for (let i = start; i < start + TRIED; i++) {
    const digit = table[text.charCodeAt(i)] ?? 255;
    if (digit === 255) return false;
    bits = ((bits << width) | digit) & 0xffff;
    held += width;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    following = followingAfter(byte, following);
    if (following < 0) return false;
  }
  return true;
}

export type Digits = "base64" | "hex";

/** Whether a token that grows can still be text, read as base64 or hexadecimal from its start on. */
export class TextDigits {
  private readonly table: Uint8Array;
  private readonly width: number;
  private bits = 0;
  private held = 0;
  private following = 0;
  /** How far it was read. */
  private at: number;
  isText = true;

  constructor(digits: Digits, start: number) {
    this.table = digits === "hex" ? NIBBLES : SEXTETS;
    this.width = digits === "hex" ? 4 : 6;
    this.at = start;
  }

  /** `text` from `base` on, up to its unit at `to`. */
  follow(text: string, base: number, to: number): boolean {
    const { table, width } = this;
    for (; this.isText && this.at < to; this.at++) {
      const digit = table[text.charCodeAt(this.at - base)] ?? 255;
      if (digit === 255) this.isText = false;
      this.bits = ((this.bits << width) | digit) & 0xffff;
      this.held += width;
      if (this.held < 8) {
        // The first bits of a byte tell of most words that they are none of text.
        this.isText &&= this.held < 6 || this.mayBegin((this.bits << (8 - this.held)) & 0xff);
        continue;
      }
      this.held -= 8;
      this.following = followingAfter((this.bits >> this.held) & 0xff, this.following);
      this.isText &&= this.following >= 0;
    }
    return this.isText;
  }

  /** The next digits, wherever they stand. */
  followAll(digits: string): boolean {
    return this.follow(digits, this.at, this.at + digits.length);
  }

  /** Whether a byte of text may have these six bits, the last two being unknown. */
  private mayBegin(bits: number): boolean {
    for (let last = 0; last < 4; last++) if (followingAfter(bits | last, this.following) >= 0) return true;
    return false;
  }
}

/** How many bytes of UTF-8 continue the character after this one; -1 where it cannot stand. */
function followingAfter(byte: number, expected: number): number {
  if (byte >= 0x80 && byte < 0xc0) return expected - 1;
  if (expected > 0 || byte > 0xf4 || isControl(byte)) return -1;
  if (byte < 0x80) return 0;
  if (byte < 0xe0) return 1;
  return byte < 0xf0 ? 2 : 3;
}

function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

function lastPart(text: string, { start, end }: TextRun): number {
  for (let i = end; i > start; i--) {
    const before = text.charCodeAt(i - 1);
    if (before === SLASH || before === UNDERSCORE || before === DASH) return i;
  }
  return start;
}

/** Parts of a JSON web token, which is a finding by itself. */
function isTokenPart(text: string, start: number, end: number): boolean {
  return text.startsWith("eyJ", start) && (text[end] === "." || text[start - 1] === ".");
}

function fromBase64(token: string): string | undefined {
  if (token.length % 4 === 1) return undefined;
  const standard = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  return readable(Uint8Array.from(standard, (unit) => unit.charCodeAt(0)));
}

/** The folded text of bytes; undefined if they are none. */
function readable(data: Uint8Array): string | undefined {
  if (data.some(isControl)) return undefined;
  try {
    return fold(STRICT.decode(data)).text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
