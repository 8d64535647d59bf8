import { ALNUM, charSet, DIGIT } from "#core/scan/char-set";
import type { Detector, Match } from "#core/scan/detector";
import type { View } from "#core/scan/view";
import { CUES, type Cue, DOCUMENTS } from "./cues";
import type { IdDocument } from "./document";
import { FAMILIES } from "./families";

const LETTER = charSet("A-Za-z");
const BETWEEN = charSet(" ./()-");
/** Units between a cue's end and the number: about five words, or a sign and "no." behind an abbreviation. */
const DISTANCE = 48;
const SHORT_DISTANCE = 18;
const SHORT_CUE = 3;
const LONGEST = 34;
const MOST_GROUPS = 8;
const SHORTEST = 5;
const MOST_TRIES = 2;
const BEFORE = 20;
const REACH = 32 + DISTANCE + LONGEST * 2;
/** Numbers of things: `order id no. 4386066892`. */
const OF_THINGS =
  /(?:order|transaction|customer|invoice|session|request|ticket|tracking|product|item|device|vehicle|part|job|build|event|case|object|process|message|thread|vendor|app|client|commit|test)s?['s]*[ _.-]{0,2}$/i;
const DATE = /^(?:\d{4}([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2\d{4})$/;

/** Nine digits behind these are the detector of social security numbers' to judge. */
const OF_SSN = /^(?:ssn|social[ _-]?security)/i;

type Group = { readonly end: number; readonly compact: string };

/**
 * Identity, tax, health and account numbers of many countries behind the words that introduce them. One anchor
 * pass serves all of them: the cue tells which documents are tried.
 */
export const idNumber: Detector = {
  id: "pii.national_id",
  category: "pii",
  severity: "high",
  reach: REACH,
  behind: BEFORE + 1,
  maxScore: 0.95,
  keywords: [...CUES.keys()],
  boundary: ALNUM,
  cue: true,
  emits: [...new Set([...DOCUMENTS, ...FAMILIES].map(({ type }) => type))],
  read(view, at, length) {
    const word = view.slice(at, at + length);
    const cue = CUES.get(word.toLowerCase());
    if (!cue) return null;
    const end = at + length;
    const short = length <= SHORT_CUE;
    if (view.is(end, ALNUM) && (length < 5 || view.is(end, DIGIT))) return null;
    if (cue.family && OF_THINGS.test(view.before(at, BEFORE))) return null;
    const trusted = length > SHORT_CUE || word === word.toUpperCase();
    const found = firstNumber(view, end, end + (short ? SHORT_DISTANCE : DISTANCE), cue, trusted);
    const digits = found && OF_SSN.test(word) ? view.slice(found.start, found.end).replace(/[ .-]/g, "") : "";
    return /^\d{9}$/.test(digits) ? null : found;
  },
};

/** The first number before `stop` that is one of the cue's; after a few others it is given up. */
function firstNumber(view: View, from: number, stop: number, cue: Cue, trusted: boolean): Match | null {
  let tries = 0;
  for (let i = from; i < stop && tries < MOST_TRIES; ) {
    const width = view.run(i, ALNUM, LONGEST + 1);
    if (width === 0 && endsCue(view, i)) return null;
    if (width > 0 && width <= LONGEST && view.run(i, LETTER, width) < width) {
      const starts = [...prefixOf(view, i, from), i];
      const found = best(starts.map((start) => readNumber(view, start, cue, trusted)));
      if (found) return found;
      tries++;
    }
    i += Math.max(1, width);
  }
  return null;
}

/** Where a country's code or a number's first letters stand before it: `HR 33392005961`, `X-5253868-R`. */
function prefixOf(view: View, at: number, from: number): number[] {
  const before = view.slice(Math.max(from, at - 6), at);
  const written = /(?<![A-Za-z0-9])(?:[A-Z]{1,2}[ ./()-]{1,2}|[a-z]-)$/.exec(before);
  return written ? [at - written[0].length] : [];
}

/** The text's end and a blank line end what a cue speaks of. */
function endsCue(view: View, i: number): boolean {
  return view.code(i) === -1 || (view.code(i) === 0x0a && view.code(i + 1) === 0x0a);
}

function readNumber(view: View, start: number, cue: Cue, trusted: boolean): Match | null {
  const groups = groupsFrom(view, start);
  return best(groups.toReversed().map(({ end, compact }) => judge(view, start, end, compact, cue, trusted)));
}

/** Groups of letters and digits from `start` on, each with all before it in capitals. Words end them. */
function groupsFrom(view: View, start: number): Group[] {
  const groups: Group[] = [];
  let compact = "";
  let i = start;
  for (let group = 0; group < MOST_GROUPS; group++) {
    const width = view.run(i, ALNUM, LONGEST + 1);
    const text = view.slice(i, i + width);
    if (width === 0 || compact.length + width > LONGEST) break;
    if (group > 0 && /^[a-z]{2,}$|^[A-Za-z]{4,}$/.test(text)) break;
    compact += text.toUpperCase();
    i += width;
    if (compact.length >= SHORTEST) groups.push({ end: i, compact });
    const between = view.run(i, BETWEEN, 3);
    // FI: a plus sign tells those born before 1900.
    const plus = view.code(i) === 0x2b ? 1 : 0;
    if (between > 2 || between + plus === 0) break;
    i += between + plus;
  }
  return groups;
}

function judge(view: View, start: number, end: number, compact: string, cue: Cue, trusted: boolean): Match | null {
  const country = /^[A-Z]{2}/.exec(compact)?.[0].toLowerCase();
  // The country's code may stand before the number, and is no part of it.
  const bare = country ? documentsFor(cue, compact.slice(2)).filter(({ type }) => type.endsWith(`.${country}`)) : [];
  const found = best([
    ...documentsFor(cue, compact).map((document) => scored(document, compact, cue, trusted)),
    ...bare.map((document) => scored(document, compact.slice(2), cue, trusted)),
  ]);
  if (found) return { ...found, start, end };
  const { family } = cue;
  if (!family?.shape.test(compact) || !trusted || DATE.test(view.slice(start, end))) return null;
  return { start, end, score: family.score, type: family.type };
}

function documentsFor(cue: Cue, text: string): readonly IdDocument[] {
  return /\d{3}/.test(text) ? (cue.documents.get(text.length) ?? []) : [];
}

/** What a document says about a text; the match's place is the caller's to fill in. */
function scored({ type, shape, check }: IdDocument, text: string, cue: Cue, trusted: boolean): Match | null {
  if (!shape.test(text)) return null;
  const score = check === undefined ? 0.7 : check(text) ? 0.95 : 0.4;
  // Among all countries' documents only one whose check digits are right says which it is.
  if (score < 0.95 && (cue.family?.worldwide || (score < 0.5 && !trusted))) return null;
  return { start: 0, end: 0, score, type };
}

/** The surest; of equals the first. */
function best(matches: readonly (Match | null)[]): Match | null {
  return matches.reduce((one, other) => (other && (!one || other.score > one.score) ? other : one), null);
}
