import { ALNUM, allBut, charSet, DIGIT, inSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { BARE, bareNumber, beginAt } from "./bare-number";
import { isWord } from "./cue-weight";
import { type Cue, cues, DOCUMENTS } from "./cues";
import { FAMILIES } from "./families";
import { best, MAX_LENGTH, ofSsn, readNumber } from "./judge";

const LETTER = charSet("A-Za-z");
const NO_ALNUM = allBut(ALNUM);
const NO_DIGIT = allBut(DIGIT);
const JOINT = charSet("_-");
/** A digit behind these is a part of a name: only capitals are a number's own. */
const WITHIN_NAME = charSet("a-z_");
/** What may part a country's code from its number. */
const PARTING = charSet(" ./()-");
const ASSIGNING = charSet("\"'`]) :=>");
/** Units between a cue's end and the number: about five words, or a sign and "no." behind an abbreviation. */
const DISTANCE = 48;
const SHORT_DISTANCE = 18;
const SHORT_CUE = 3;
const MAX_TRIES = 2;
const BEFORE = 20;
const REACH = 32 + DISTANCE + MAX_LENGTH * 2;
/** What may part an abbreviation from its number; any other word makes it another's: `CI build 1234567`. */
const OF_SHORT =
  /^(?:[^A-Za-z{}]|(?<![A-Za-z])(?:id|ids|no|nos|nr|num|number|numero|n|code|der|is|es|ist|est|of|for|value)(?![A-Za-z]))*$/i;
/** Two abbreviations of one number: `NN, RN 85073003328`. */
const OTHER_SHORT = /\b[A-Z]{2,3}\b/g;
/** Numbers of things: `order id no. 4386066892`. */
const OF_THINGS =
  /(?:order|transaction|customer|invoice|session|request|ticket|tracking|product|item|device|vehicle|part|job|build|event|case|object|process|message|thread|vendor|app|client|commit|test)s?['s]*[ _.-]{0,2}$/i;

/** Parts of a longer name before an abbreviation: `workflow_run`, `setup-ci`. */
const OF_PROGRAMS =
  /(?:work_?flow|pipeline|build|setup|deploy|test|check|lint|dry|last|next|job|task|github|gitlab)s?[ _-]{1,2}$/i;
/** An abbreviation that is a whole name, with its value in quotes: `"ce": "000494998"`, `customer.cr = "155812994816"`. */
const NAMED = /^["'`\])]{0,2} {0,2}[:=]>? {0,2}["'`]$/;

/**
 * Identity, tax, health and account numbers of many countries: behind the words that introduce them, which tell
 * which documents are tried, and those that need no word. One detector, for each number is to be found once.
 */
export const idNumber: Detector = {
  id: "pii.national_id",
  category: "pii",
  severity: "high",
  reach: Math.max(REACH, BARE.reach),
  behind: Math.max(BEFORE + 1, BARE.behind),
  maxScore: 0.95,
  get keywords() {
    return [...cues().keys()];
  },
  anchorDigits: true,
  boundary: ALNUM,
  digitBoundary: WITHIN_NAME,
  emits: [...new Set([...DOCUMENTS, ...FAMILIES].map(({ type }) => type))],
  begin: (view, at) => (view.is(at, DIGIT) ? beginAt(view, at) : at),
  pending: (view) => beginAt(view, view.text.length),
  precheck: (cue) =>
    inSet(DIGIT, cue.charCodeAt(0)) ? null : { behind: cue.length < 5 ? NO_ALNUM : NO_DIGIT, words: 0 },
  read(view, at, length) {
    if (view.is(at, DIGIT)) return bareNumber(view, at);
    const word = view.slice(at, at + length);
    const cue = cues().get(word.toLowerCase());
    const end = at + length;
    if (!cue || (view.is(end, ALNUM) && (length < 5 || view.is(end, DIGIT)))) return null;
    if (isOfThings(view.before(at, BEFORE), cue)) return null;
    const short = length <= SHORT_CUE;
    const trusted = !short || word === word.toUpperCase() || (!isWord(word) && isWholeName(view, at, end));
    const found = firstNumber(view, end, end + (short ? SHORT_DISTANCE : DISTANCE), cue, trusted);
    if (!found || (cue.weight !== "firm" && !OF_SHORT.test(view.slice(end, found.start).replace(OTHER_SHORT, ""))))
      return null;
    const compact = view.slice(found.start, found.end).replace(/[ .-]/g, "");
    return ofSsn(word, compact) ? null : found;
  },
};

const isOfThings = (before: string, { family, weight }: Cue): boolean =>
  (family !== undefined && OF_THINGS.test(before)) || (weight !== "firm" && OF_PROGRAMS.test(before));

/** The text up to the value is read only as far as it may be one. */
function isWholeName(view: View, at: number, end: number): boolean {
  if (view.is(at - 1, JOINT)) return false;
  const width = view.run(end, ASSIGNING, 8);
  return NAMED.test(view.slice(end, end + width));
}

/** The first number before `stop` that is one of the cue's; after a few others it is given up. */
function firstNumber(view: View, from: number, stop: number, cue: Cue, trusted: boolean): Match | null {
  let tries = 0;
  for (let i = from; i < stop && tries < MAX_TRIES; ) {
    const width = view.run(i, ALNUM, MAX_LENGTH + 1);
    if (view.short || (width === 0 && endsCue(view, i))) return null;
    if (width > 0 && width <= MAX_LENGTH && view.run(i, LETTER, width) < width) {
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
  if (!view.is(at - 1, PARTING)) return [];
  const before = view.slice(Math.max(from, at - 6), at);
  const written = /(?<![A-Za-z0-9])(?:[A-Z]{1,2}[ ./()-]{1,2}|[a-z]-)$/.exec(before);
  return written ? [at - written[0].length] : [];
}

/** The text's end and a blank line end what a cue speaks of. */
function endsCue(view: View, i: number): boolean {
  return view.code(i) === -1 || (view.code(i) === 0x0a && view.code(i + 1) === 0x0a);
}
