import { ALNUM, charSet } from "#scan/char-set";
import type { Match } from "#scan/detector";
import type { View } from "#scan/view";
import { type Cue, documentsOf } from "./cues";
import { type IdDocument, isLoose, isSelective } from "./document";

/** Units a number may have. */
export const MAX_LENGTH = 34;
const BETWEEN = charSet(" ./()-");
const MAX_GROUPS = 8;
const MIN_LENGTH = 5;
const DATE = /^(?:\d{4}([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2\d{4})$/;
/** A date that a time may follow. */
const STAMP_LENGTH = 11;
const STAMP = /^(?:19|20)\d\d-\d\d-\d\d(?:[T ]|$)/;
const UUID_LENGTH = 36;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;
/** Parted twice and no date, as `1.234.567-8` and `123 456 782`: documents are written so, ids of programs are not. */
const GROUPED = /^(?!(?:19|20)\d\d[-./]\d\d?[-./])[A-Za-z\d]+(?:[ ./()-]+[A-Za-z\d]+){2,}$/;
/** Nine digits behind these are the detector of social security numbers' to judge. */
const OF_SSN = /^(?:ssn|social[ _-]?security)/i;

type Group = { readonly end: number; readonly compact: string };

export const ofSsn = (cue: string, number: string): boolean => OF_SSN.test(cue) && /^\d{9}$/.test(number);

/** What the groups of letters and digits at `start` are behind a cue: as many of them as make a number it speaks of. */
export function readNumber(view: View, start: number, cue: Cue, trusted: boolean): Match | null {
  const groups = groupsFrom(view, start);
  if (view.short) return null;
  return best(groups.toReversed().map(({ end, compact }) => judge(view, start, end, compact, cue, trusted)));
}

/** Groups of letters and digits from `start` on, each with all before it in capitals. Words end them. */
function groupsFrom(view: View, start: number): Group[] {
  const groups: Group[] = [];
  let compact = "";
  let i = start;
  for (let group = 0; group < MAX_GROUPS; group++) {
    const width = view.run(i, ALNUM, MAX_LENGTH + 1);
    const text = view.slice(i, i + width);
    if (width === 0 || compact.length + width > MAX_LENGTH) break;
    if (group > 0 && /^[a-z]{2,}$|^[A-Za-z]{4,}$/.test(text)) break;
    compact += text.toUpperCase();
    i += width;
    if (compact.length >= MIN_LENGTH) groups.push({ end: i, compact });
    const between = view.run(i, BETWEEN, 3);
    // FI: a plus sign tells those born before 1900.
    const plus = view.code(i) === 0x2b ? 1 : 0;
    if (between > 2 || between + plus === 0) break;
    i += between + plus;
  }
  return groups;
}

export function judge(
  view: View,
  start: number,
  end: number,
  compact: string,
  cue: Cue,
  trusted: boolean,
): Match | null {
  const written = view.slice(start, end);
  const isDate = DATE.test(written);
  const ahead = view.slice(start, start + STAMP_LENGTH);
  if ((isDate || STAMP.test(ahead)) && cue.weight !== "firm") return null;
  if (STAMP.test(written) || UUID.test(view.slice(start, start + UUID_LENGTH))) return null;
  const country = /^[A-Z]{2}/.exec(compact)?.[0].toLowerCase();
  const seen = { cue, trusted, grouped: GROUPED.test(written) };
  let found = surest(documentsFor(cue, compact), compact, seen, null);
  if (country !== undefined) {
    // The country's code may stand before the number, and is no part of it.
    const bare = documentsFor(cue, compact.slice(2)).filter(({ type }) => type.endsWith(`.${country}`));
    found = surest(bare, compact.slice(2), seen, found);
  }
  if (found) return { ...found, start, end };
  const { family } = cue;
  if (!family?.shape.test(compact) || !trusted || isDate) return null;
  const score = cue.weight === "firm" ? family.score : Math.min(family.score, UNCERTAIN);
  return { start, end, score, type: family.type };
}

function documentsFor(cue: Cue, text: string): readonly IdDocument[] {
  return /\d{3}/.test(text) ? documentsOf(cue, text.length) : [];
}

/** Scores: check digits that are right; a document's name and form; a form that other ids share. From 0.5 on it is replaced. */
const CHECKED = 0.95;
const FORMED = 0.7;
const UNCERTAIN = 0.4;

type Seen = { readonly cue: Cue; readonly trusted: boolean; readonly grouped: boolean };

/** What the surest of some documents says about a text, if it is surer than what is known. Nothing is surer than check digits. */
function surest(documents: readonly IdDocument[], text: string, seen: Seen, known: Match | null): Match | null {
  let found = known;
  for (const document of documents) {
    if (found && found.score >= CHECKED) break;
    const match = scored(document, text, seen);
    if (match && (!found || match.score > found.score)) found = match;
  }
  return found;
}

/** What a document says about a text; the match's place is the caller's to fill in. */
function scored(document: IdDocument, text: string, { cue, trusted, grouped }: Seen): Match | null {
  // Without check digits no document is as sure as those of all countries have to be.
  if ((document.check === undefined && cue.family?.worldwide) || !document.shape.test(text)) return null;
  const score = scoreOf(document, text, cue, grouped);
  // Among all countries' documents only one whose check digits are right says which it is.
  if (score < CHECKED && (cue.family?.worldwide || (score < 0.5 && !trusted))) return null;
  return { start: 0, end: 0, score, type: document.type };
}

function scoreOf(document: IdDocument, text: string, { weight, own }: Cue, grouped: boolean): number {
  const { check } = document;
  if (check === undefined)
    return weight === "firm" || !isLoose(document) || (weight === "short" && grouped) ? FORMED : UNCERTAIN;
  if (!check(text)) return UNCERTAIN;
  const isPlain = !grouped && /^\d+$/.test(text);
  // Among all countries' some document always has two check digits that are right.
  const isProof = own.includes(document) && isSelective(document);
  return weight === "ambiguous" && isPlain && !isProof ? UNCERTAIN : CHECKED;
}

/** The surest; of equals the first. */
export function best(matches: readonly (Match | null)[]): Match | null {
  let found: Match | null = null;
  for (const match of matches) if (match && (!found || match.score > found.score)) found = match;
  return found;
}
