import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { charSet, DIGIT, inSet, WORD } from "#core/scan/char-set";
import type { Detector, Match } from "#core/scan/detector";
import type { View } from "#core/scan/view";

const MOST_DIGITS = 15;
const BETWEEN = charSet(" .()/-");
const NOT_BEFORE = charSet("A-Za-z0-9_+.#$%/-");
const MOST_BETWEEN = 3;
const LONGEST = 40;
const CUE_DISTANCE = 40;
const AFTER_SEEN = 9;
const CUE =
  /phone|\btel\b|\bmobile|\bcell\b|\bcall(?:ed|ing)?\b|\bfax\b|whats ?app|\bsms\b|\btext me\b|contact|kontakt|contat|\bring\b|\bdial\b|\breach\b|answering at|hotline|telefon|handy|\bmobil|nummer|numero|movil|cellular|телефон|電話|电话/i;
/** Right before a number these leave no doubt, even for a plan that libphonenumber does not know. */
const STRONG_CUE =
  /(?:phone|\btel|\bmobile|\bcell|\bfax|whats ?app|telefon|telephone|movil|(?:call|text|ring|reach) (?:me|us|him|her|them|our office) (?:at|on)|answering at|numero est le)(?: ?(?:number|no|nr|num))?[\s"'.:=(#]{1,4}(?:is )?$/i;
const CUE_AFTER = /^ ?[-,(]? ?(?:office|offi|fax|mobi|cell|home|work)/i;
/** Where a national number is tried when a cue says that it is one. */
const REGIONS: readonly CountryCode[] = [
  "US",
  "GB",
  "DE",
  "FR",
  "ES",
  "IT",
  "NL",
  "IN",
  "AU",
  "BR",
  "CH",
  "AT",
  "PL",
  "SE",
  "JP",
  "CN",
];
const DATE = /^(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ]\d{4})/;

type Piece = { readonly end: number; readonly digits: number };

/**
 * Phone numbers: with a country code anywhere, in the written form of North America anywhere, in
 * other national forms behind a cue. What is a valid number is libphonenumber's to say.
 */
export const phone: Detector = {
  id: "pii.phone",
  category: "pii",
  severity: "medium",
  reach: LONGEST + 4 + AFTER_SEEN,
  behind: CUE_DISTANCE + 2,
  keywords: ["+", "("],
  anchorDigits: true,
  read(view, at) {
    const before = view.code(at - 1);
    if (inSet(NOT_BEFORE, before) || (before === 0x3a && view.is(at - 2, DIGIT))) return null;
    const international = view.code(at) === 0x2b;
    const pieces = piecesFrom(view, international ? at + 1 : at);
    const last = pieces[pieces.length - 1];
    if (!last || last.digits < 6 || last.digits > MOST_DIGITS) return null;
    if (international) return longestValid(view, at, pieces, (text) => isValid(text), 0.95);
    return readNational(view, at, pieces);
  },
};

/** Ends of the groups of digits from `at` on, with the number of digits up to each. */
function piecesFrom(view: View, at: number): Piece[] {
  const pieces: Piece[] = [];
  let i = at;
  let digits = 0;
  let opened = false;
  while (i - at < LONGEST) {
    const between = view.run(i, BETWEEN, MOST_BETWEEN);
    if (pieces.length === 0 && between > 1) break;
    const signs = view.before(i + between, between);
    if (signs.includes(")") && !opened && !signs.includes("(")) break;
    opened = signs.lastIndexOf("(") > signs.lastIndexOf(")");
    const width = view.run(i + between, DIGIT, MOST_DIGITS + 1 - digits);
    if (width === 0) break;
    i += between + width;
    digits += width;
    if (inSet(WORD, view.code(i)) && !inSet(DIGIT, view.code(i))) break;
    pieces.push({ end: i, digits });
    if (digits > MOST_DIGITS) break;
  }
  return pieces;
}

function readNational(view: View, at: number, pieces: readonly Piece[]): Match | null {
  const end = pieces[pieces.length - 1]?.end ?? at;
  const text = view.before(end, end - at);
  if (DATE.test(text)) return null;
  const written = /^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d([ .-]))[2-9]\d\d[ .-]\d{4}(?!\d)/.exec(text)?.[0];
  if (written !== undefined && isValid(written, "US")) return { start: at, end: at + written.length, score: 0.85 };
  if (text.startsWith("00")) {
    const found = longestValid(view, at, pieces, (candidate) => isValid(`+${candidate.slice(2)}`), 0.75);
    if (found) return found;
  }
  const before = view.before(at, CUE_DISTANCE);
  const cued = CUE.test(before) || CUE_AFTER.test(view.slice(end, end + AFTER_SEEN));
  if (!cued) return null;
  const found = longestValid(
    view,
    at,
    pieces,
    (candidate) => REGIONS.some((region) => isValid(candidate, region)),
    0.75,
  );
  return found ?? (STRONG_CUE.test(before) ? { start: at, end, score: 0.55 } : null);
}

/** The most groups that make a valid number; behind a number may stand another one. */
function longestValid(
  view: View,
  at: number,
  pieces: readonly Piece[],
  valid: (text: string) => boolean,
  score: number,
): Match | null {
  for (const { end, digits } of pieces.toReversed().slice(0, 4)) {
    if (digits >= 7 && valid(view.before(end, end - at))) return { start: at, end, score };
  }
  return null;
}

function isValid(text: string, region?: CountryCode): boolean {
  return (
    parsePhoneNumberFromString(text, { ...(region && { defaultCountry: region }), extract: false })?.isValid() ?? false
  );
}
