import { charSet, inSet } from "#scan/char-set";
import type { View } from "#scan/view";
import { cues } from "./cues";

/** Units before a value that its column's name is looked for in. */
export const TABLE = 480;
const QUOTES = charSet("\"' ");

/** The cue in the head of the value's column, if there is one. */
export function columnName(view: View, start: number, end: number): string | undefined {
  const name = columnHead(view, start, end);
  return name === undefined ? undefined : cueIn(name);
}

/** What the first line of a table of separated values calls the column of the value from `start` to `end`. */
export function columnHead(view: View, start: number, end: number): string | undefined {
  const sign = delimiterOf(view, start, end);
  return sign === "" ? undefined : view.told(start, sign, headBefore);
}

/** Of what stands before a cell, whose row it is in. */
function headBefore(view: View, start: number, sign: string): string | undefined {
  const before = view.before(start, TABLE);
  const row = before.lastIndexOf("\n");
  if (row < 0) return undefined;
  const blank = before.lastIndexOf("\n\n");
  const first = blank < 0 ? 0 : blank + 2;
  const head = before.slice(first, before.indexOf("\n", first));
  return nameOf(cellOf(head, sign, countOf(before, sign, row + 1)));
}

/** What a cell of a table's head calls its column; nothing where it is no name. */
export function nameOf(cell: string | undefined): string | undefined {
  const name = cell?.replace(/["'|]/g, "").trim().toLowerCase();
  return name === undefined || name === "" || /\d/.test(name) ? undefined : name;
}

/** How often a sign stands in a text from `from` on. */
export function countOf(text: string, sign: string, from: number): number {
  let count = 0;
  for (let at = text.indexOf(sign, from); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** A line's cell of that number. Only the one is cut out: a table asks at each of its numbers. */
export function cellOf(line: string, sign: string, number: number): string | undefined {
  let start = 0;
  for (let cell = 0; cell < number; cell++) {
    const end = line.indexOf(sign, start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = line.indexOf(sign, start);
  return end < 0 ? line.slice(start) : line.slice(start, end);
}

const isDelimiter = (code: number): boolean => code === 0x2c || code === 0x3b || code === 0x09 || code === 0x7c;
/** A cell ends at the sign, a line's end or the text's. */
const isEdge = (code: number, sign: number): boolean => code === sign || code === 0x0a || code === 0x0d || code === -1;

/** The sign on both sides of a cell, or on one where the line begins or ends. */
function delimiterOf(view: View, start: number, end: number): string {
  let [left, right] = [start - 1, end];
  while (left >= start - 2 && inSet(QUOTES, view.code(left))) left--;
  while (right < end + 2 && inSet(QUOTES, view.code(right))) right++;
  const [before, behind] = [view.code(left), view.code(right)];
  const sign = isDelimiter(before) ? before : behind;
  if (!isDelimiter(sign) || !isEdge(before, sign) || !isEdge(behind, sign)) return "";
  return String.fromCharCode(sign);
}

/** Names whose judgement is remembered, and their length: a table asks for the same ones at each of its cells. */
const MAX_NAMES = 128;
const MAX_NAME_LENGTH = 48;

/** What is made of the names of columns, each made once. */
export function ofNames<Judgement>(judge: (name: string) => Judgement): (name: string) => Judgement {
  const known = new Map<string, { readonly judged: Judgement }>();
  return (name) => {
    const before = known.get(name);
    if (before) return before.judged;
    const judged = judge(name);
    if (known.size === MAX_NAMES) known.clear();
    if (name.length <= MAX_NAME_LENGTH) known.set(name, { judged });
    return judged;
  };
}

/** The longest run of the name's words that is a cue: `customer_passport_number` has one. */
const cueIn = ofNames((name): string | undefined => {
  if (cues().has(name)) return name;
  const words = name.split(/[ _-]/);
  for (let count = Math.min(4, words.length); count > 0; count--) {
    for (let from = 0; from + count <= words.length; from++) {
      const phrase = words.slice(from, from + count).join(" ");
      if (cues().has(phrase)) return phrase;
    }
  }
  return undefined;
});
