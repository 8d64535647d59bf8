import { charSet, inSet } from "#core/scan/char-set";
import type { View } from "#core/scan/view";
import { cues } from "./cues";

/** Units before a value that its column's name is looked for in. */
export const TABLE = 480;
const DELIMITERS = [0x2c, 0x3b, 0x09, 0x7c];
const QUOTES = charSet("\"' ");

/** The cue in the head of the value's column, if there is one. */
export function columnName(view: View, start: number, end: number): string | undefined {
  const name = columnHead(view, start, end);
  return name === undefined ? undefined : cueIn(name);
}

/** What the first line of a table of separated values calls the column of the value from `start` to `end`. */
export function columnHead(view: View, start: number, end: number): string | undefined {
  const sign = delimiterOf(view, start, end);
  if (sign === "") return undefined;
  const before = view.before(start, TABLE);
  const row = before.lastIndexOf("\n");
  if (row < 0) return undefined;
  const column = before.slice(row + 1).split(sign).length - 1;
  const blank = before.lastIndexOf("\n\n");
  const head = before.slice(blank < 0 ? 0 : blank + 2, before.indexOf("\n", blank < 0 ? 0 : blank + 2));
  const name = head.split(sign)[column]?.replace(/["'|]/g, "").trim().toLowerCase();
  return name === undefined || name === "" || /\d/.test(name) ? undefined : name;
}

/** The sign on both sides of a cell, or on one where the line begins or ends. */
function delimiterOf(view: View, start: number, end: number): string {
  let [left, right] = [start - 1, end];
  while (left >= start - 2 && inSet(QUOTES, view.code(left))) left--;
  while (right < end + 2 && inSet(QUOTES, view.code(right))) right++;
  const sides = [view.code(left), view.code(right)];
  const sign = sides.find((code) => DELIMITERS.includes(code));
  const edge = (code: number): boolean => code === sign || code === 0x0a || code === 0x0d || code === -1;
  return sign !== undefined && sides.every(edge) ? String.fromCharCode(sign) : "";
}

/** The longest run of the name's words that is a cue: `customer_passport_number` has one. */
function cueIn(name: string): string | undefined {
  if (cues().has(name)) return name;
  const words = name.split(/[ _-]/);
  for (let count = Math.min(4, words.length); count > 0; count--) {
    for (let from = 0; from + count <= words.length; from++) {
      const phrase = words.slice(from, from + count).join(" ");
      if (cues().has(phrase)) return phrase;
    }
  }
  return undefined;
}
