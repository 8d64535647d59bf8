import { ALNUM, charSet, DIGIT, inSet, WORD } from "#scan/char-set";
import type { Match } from "#scan/detector";
import type { View } from "#scan/view";
import { cueBehind } from "./cue-behind";
import { cues } from "./cues";
import { type Form, fits, formKey, formsOf, keyedBy } from "./forms";
import { judge, ofSsn } from "./judge";
import { columnName, TABLE } from "./table";

/** Capitals only: a stream that held every word's last letters would lag by a word. */
const LETTER = charSet("A-Z");
const SEPARATOR = charSet(" ./-");
const GOES_ON = charSet("./-");
const MAX_LETTERS = 6;
const BLANK = 0x20;
const MAX_LENGTH = 32;
const JOINED = charSet("A-Za-z0-9./()+-");
const SPACED = charSet("A-D0-9 ");
const MAX_GROUPS = 6;
/** Of a spaced number of the UK: two letters and a blank. */
const LETTERS_APART = /(?<![A-Za-z0-9])[A-Z]{2} $/;

/** Units that a decision may read before and behind the number's first digit. */
export const BARE = { behind: TABLE + MAX_LETTERS + 4, reach: 128 };

/**
 * A number that no word introduces, by its first digit: its written form and check digits say enough, or the word
 * stands behind it ("123456789 is my passport number"), or in the first line of its table.
 */
export function bareNumber(view: View, at: number): Match | null {
  const letters = view.runBack(at, LETTER, MAX_LETTERS + 1);
  const start = at - letters;
  if (letters > MAX_LETTERS || inSet(WORD, view.code(start - 1)) || isWithin(view, start)) return null;
  const found = formed(view, at, start);
  return found || view.short ? found : named(view, start);
}

/** Where a bare number whose first digit is at `at` would begin. */
export function beginAt(view: View, at: number): number {
  const letters = view.runBack(at, LETTER, MAX_LETTERS);
  return letters === 0 && LETTERS_APART.test(view.before(at, 4)) ? at - 3 : at - letters;
}

/** A part of a longer number: `1.234-5` has one that begins with 5. */
const isWithin = (view: View, start: number): boolean =>
  inSet(GOES_ON, view.code(start - 1)) && view.is(start - 2, ALNUM);

function formed(view: View, at: number, start: number): Match | null {
  const width = view.run(at, DIGIT, 19);
  if (view.short) return null;
  const bare = formKey(at - start, width);
  const signed = formKey(at - start, width, view.code(at + width));
  const found = signed === bare ? null : withKey(view, at, start, signed);
  return found ?? withKey(view, at, start, bare);
}

function withKey(view: View, at: number, start: number, key: number): Match | null {
  const forms = formsOf(key);
  if (!forms) return null;
  const set = keyedBy(key, BLANK) ? SPACED : JOINED;
  const apart = set === SPACED && at === start && LETTERS_APART.test(view.before(at, 4)) ? start - 3 : start;
  const text = view.slice(apart, at + view.run(at, set, MAX_LENGTH));
  for (const form of forms) {
    const match = written(view, form, text, apart);
    if (match) return match;
  }
  return null;
}

function written(view: View, form: Form, text: string, start: number): Match | null {
  const found = form.written.exec(text)?.[0];
  if (found === undefined) return null;
  const end = start + found.length;
  const after = view.code(end);
  if (inSet(WORD, after) || (inSet(GOES_ON, after) && view.is(end + 1, DIGIT))) return null;
  if (!fits(form, found.replace(/[^A-Za-z\d]/g, "").toUpperCase())) return null;
  return { start, end, score: form.score, type: form.type };
}

/** A number that the words behind it, or the head of its column, call one. */
function named(view: View, start: number): Match | null {
  // A later group of a spaced number: its first one has been read.
  if (view.code(start - 1) === 0x20 && view.is(start - 2, DIGIT)) return null;
  const end = endOfNumber(view, start);
  if (end === 0 || view.short) return null;
  const word = cueBehind(view, end) ?? columnName(view, start, end);
  const cue = word === undefined ? undefined : cues().get(word);
  if (word === undefined || !cue) return null;
  const compact = view
    .slice(start, end)
    .replace(/[^A-Za-z\d]/g, "")
    .toUpperCase();
  return ofSsn(word, compact) ? null : judge(view, start, end, compact, cue, cue.weight !== "ambiguous");
}

/** Behind groups of letters and digits, the first of them with a digit; 0 for fewer than six characters. */
function endOfNumber(view: View, start: number): number {
  let end = start;
  let count = 0;
  for (let group = 0; group < MAX_GROUPS; group++) {
    const from = group === 0 ? start : end + 1;
    if (group > 0 && !(view.is(end, SEPARATOR) && view.is(from, DIGIT))) break;
    const width = view.run(from, ALNUM, MAX_LENGTH);
    count += width;
    if (width === 0 || count > MAX_LENGTH) return 0;
    end = from + width;
  }
  return count < 6 ? 0 : end;
}
