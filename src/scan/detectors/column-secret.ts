import { anyOf, charSet, inSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import { once } from "#scan/fold/once";
import { View } from "#scan/view";
import { genericSecret } from "./assigned-secret";
import { cellOf, countOf, nameOf } from "./national/table";

/** Units before a cell in which its table must begin. */
const TABLE = 1_024;
const VALUE = charSet("A-Za-z0-9_.!@#%&*+/=~^?:$-");
const QUOTE = charSet("\"'");
const CELL = anyOf(VALUE, QUOTE);
const SPACE = charSet(" ");
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
  behind: TABLE,
  cue: true,
  maxScore: 0.85,
  keywords: [",", ";", "\t", "|", "\n"],
  precheck: (sign) => ({ behind: sign === "|" ? SPACED : CELL, words: 0 }),
  read(view, at) {
    const start = at + 1 + (inSet(SPACE, view.text.charCodeAt(at + 1)) ? 1 : 0);
    if (isShort(view.text, start)) return null;
    // Without such a head nothing behind the sign is read: a stream waits for the cells of secrets alone.
    const head = headOf(view, at);
    return head && head.name !== LOOKED_UP && head.name.search(words()) >= 0 ? cellAt(view, start, head) : null;
  },
};

/** Whether fewer units than a secret has stand there before others, as in most cells and behind most commas. */
function isShort(text: string, start: number): boolean {
  const from = start + (inSet(QUOTE, text.charCodeAt(start)) ? 1 : 0);
  const stop = Math.min(text.length, from + MIN_VALUE);
  for (let at = from; at < stop; at++) if (!inSet(VALUE, text.charCodeAt(at))) return true;
  return false;
}

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
  const edge = view.code(next + view.run(next, SPACE, MAX_FILLED));
  if (edge !== sign && edge !== LINE_FEED && edge !== RETURN && edge !== -1) return null;
  const score = scoreOf(name, `${quote}${view.slice(from, end)}${quote}`);
  return score === 0 ? null : { start: from, end, score };
}
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
