import { anyOf, charSet, inSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import { once } from "#scan/fold/once";
import { View } from "#scan/view";
import { genericSecret } from "./assigned-secret";
import { cellOf, countOf, nameOf, ofNames, TABLE } from "./national/table";

const VALUE = charSet("A-Za-z0-9_.!@#%&*+/=~^?:$-");
const QUOTE = charSet("\"'");
const CELL = anyOf(VALUE, QUOTE);
const SPACE = charSet(" ");
const LETTER = charSet("A-Za-z");
/** What may stand behind a cell's value. */
const ENDING = charSet("\"',;\t|\r\n");
const SPACED = anyOf(CELL, SPACE);
const MIN_VALUE = 8;
const MAX_VALUE = 128;
/** What fills a cell of Markdown up. */
const MAX_FILLED = 40;
/** What anything is looked up by. */
const LOOKED_UP = "key";
const DELIMITER = /[,;\t|]/;

/** The words of names that give a secret away, the longest first. */
const words = once(() => {
  const longest = genericSecret.keywords.toSorted((one, other) => other.length - one.length);
  return new RegExp(longest.join("|"), "g");
});

/**
 * A cell in a table of separated values, or of Markdown, under a head that names a secret. It is judged as if it were
 * assigned to that name.
 */
export const columnSecret: Detector = {
  id: "secret.generic.column",
  type: "secret.generic",
  category: "secret",
  severity: "medium",
  reach: 3 + MAX_VALUE + MAX_FILLED + 1,
  behind: TABLE - 1,
  cue: true,
  maxScore: 0.85,
  keywords: [",", ";", "\t", "|", "\n"],
  precheck: (sign) => ({ behind: sign === "|" ? SPACED : CELL, words: 0 }),
  read(view, at) {
    const start = at + 1 + (inSet(SPACE, view.text.charCodeAt(at + 1)) ? 1 : 0);
    if (isNoCell(view.text, start, view.text.charCodeAt(at) === BAR)) return null;
    // Without such a head nothing behind the sign is read: a stream waits for the cells of secrets alone.
    const head = headOf(view, at);
    return head && isTelling(head.name) ? cellAt(view, start, head) : null;
  },
};

/**
 * Whether no cell with a secret stands there: too few units, none of them a letter, or no end of a cell behind them.
 * So it is behind nearly all commas and line ends; where the text ends before it is known, it is no.
 */
function isNoCell(text: string, start: number, isPadded: boolean): boolean {
  const from = start + (inSet(QUOTE, text.charCodeAt(start)) ? 1 : 0);
  const stop = Math.min(text.length, from + MAX_VALUE);
  let hasLetter = false;
  let at = from;
  for (; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (!inSet(VALUE, unit)) break;
    hasLetter ||= inSet(LETTER, unit);
  }
  if (at === text.length) return false;
  if (!hasLetter || at - from < MIN_VALUE) return true;
  const next = text.charCodeAt(at);
  if (isPadded) return !inSet(ENDING, next) && !inSet(SPACE, next);
  return (
    !inSet(ENDING, next) || (inSet(QUOTE, next) && at + 1 < text.length && !inSet(ENDING, text.charCodeAt(at + 1)))
  );
}

const isTelling = ofNames((name) => name !== LOOKED_UP && name.search(words()) >= 0);

type Head = { readonly name: string; readonly sign: number };

/** The head of the column behind the sign at `at`; a line's end is the sign before the first one. */
function headOf(view: View, at: number): Head | undefined {
  const before = view.before(at + 1, TABLE);
  const blank = before.lastIndexOf("\n\n");
  // It may have begun further above.
  if (blank < 0 && before.length === TABLE) return undefined;
  const first = blank < 0 ? 0 : blank + 2;
  const line = before.slice(first, before.indexOf("\n", first));
  const row = before.lastIndexOf("\n") + 1;
  if (row <= first) return undefined;
  const sign = row === before.length ? DELIMITER.exec(line)?.[0] : before.at(-1);
  if (sign === undefined || !line.includes(sign)) return undefined;
  const name = nameOf(cellOf(line, sign, countOf(before, sign, row)));
  return name === undefined ? undefined : { name, sign: sign.charCodeAt(0) };
}

function cellAt(view: View, start: number, { name, sign }: Head): Match | null {
  const quote = view.is(start, QUOTE) ? view.slice(start, start + 1) : "";
  const from = start + quote.length;
  const width = view.run(from, VALUE, MAX_VALUE);
  const end = from + width;
  if (width < MIN_VALUE || width === MAX_VALUE || !view.has(end, quote)) return null;
  const next = end + quote.length;
  const edge = view.code(next + (sign === BAR ? view.run(next, SPACE, MAX_FILLED) : 0));
  if (edge !== sign && edge !== LINE_FEED && edge !== RETURN && edge !== -1) return null;
  const score = scoreOf(name, `${quote}${view.slice(from, end)}${quote}`);
  return score === 0 ? null : { start: from, end, score };
}
const BAR = 0x7c;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The score of a value that is assigned to a name. */
function scoreOf(name: string, value: string): number {
  const view = new View(`${name}: ${value}`, true);
  return Math.max(
    0,
    ...Array.from(
      name.matchAll(words()),
      ({ 0: word, index }) => genericSecret.read(view, index, word.length)?.score ?? 0,
    ),
  );
}
