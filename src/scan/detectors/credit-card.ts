import { hasDifferent, luhn } from "#core/checksums";
import { type CharSet, charSet, DIGIT, inSet, WORD } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { CUE_BEHIND, isAboutPayment, isAnnounced } from "./card-context";
import { isIssued, isTestCard } from "./card-issuers";
import { isIdName } from "./field-name";
import { TABLE } from "./national/table";

const MAX_DIGITS = 19;
const MIN_DIGITS = 12;
/** Units between two groups: `  `, ` - `, `, `, a line end of two units. */
const MAX_SEPARATOR = 3;
const SEPARATOR = charSet(" \t\r\n./,|-");
const DIGIT_OR_SEPARATOR = charSet("0-9 \t\r\n./,|-");
/** Every digit by itself, a separator behind each: the longest a number can be written. */
const MAX_LENGTH = MAX_DIGITS * 2;

/** Certain; and what is only noted, since the policy replaces from 0.5 on. */
const SURE = 0.95;
const ALONE = 0.6;
const NOTED = 0.4;

/**
 * Card numbers: digits of an issuer's range and length with a right sum. One drawn id of sixteen digits in twenty-five
 * is such a number too, so that it is a card's only where it is grouped as cards are, or something near speaks of
 * payments. Published test numbers are only noted.
 */
export const creditCard: Detector = {
  id: "pii.credit_card",
  category: "pii",
  severity: "high",
  reach: MAX_LENGTH + MAX_SEPARATOR * 4 + CUE_BEHIND,
  behind: TABLE,
  keywords: [],
  anchorDigits: true,
  boundary: WORD,
  digitBehind: DIGIT_OR_SEPARATOR,
  digitWidths: [1, 4, 12, 13, 14, 15, 16, 17, 18, MAX_DIGITS],
  read(view, at) {
    const first = view.code(at) - 48;
    // Of those with a 1 some are JCB's, 1800.
    if (first < 1 || first > 8 || (first === 1 && view.code(at + 1) !== 0x38) || !mayBegin(view, at)) return null;
    if (!mayBeCard(view, at)) return null;
    const groups = digitGroups(view, at);
    return view.short ? null : inGroups(view, at, groups);
  },
  inField: (score, name) => (score === ALONE && isIdName(name) ? NOTED : score),
};

/** The most groups that are a card's number; else those that are announced as one. */
function inGroups(view: View, at: number, groups: readonly Group[]): Match | null {
  const numbers = numbersOf(groups);
  const right = numbers.find(({ digits }) => isIssued(digits) && luhn(digits));
  if (right) {
    const score = scored(view, at, right, groups[right.count]);
    return score === 0 ? null : { start: at, end: right.end, score };
  }
  const wrong = numbers.findLast(({ digits }) => digits.length > MIN_DIGITS);
  return wrong && isAnnounced(view, at) ? { start: at, end: wrong.end, score: NOTED } : null;
}

type Written = {
  readonly digits: string;
  readonly count: number;
  readonly end: number;
  readonly isGrouped: boolean;
  /** What parts the groups; empty for one group. */
  readonly mark: string;
};

/** As many of the first groups as a card may have been written in, the longest first. */
function numbersOf(groups: readonly Group[]): Written[] {
  const numbers: Written[] = [];
  let width = 0;
  for (const { text } of groups) width += text.length;
  // Fewer groups have fewer digits still.
  for (let count = groups.length; width >= MIN_DIGITS; count--, width -= groups[count]?.text.length ?? width) {
    if (width > MAX_DIGITS) continue;
    const used = groups.slice(0, count);
    const form = writing(used);
    if (form === "other") continue;
    const digits = used.map(({ text }) => text).join("");
    if (!hasDifferent(digits, 2)) continue;
    const mark = count > 1 ? (used[0]?.separator ?? "") : "";
    numbers.push({ digits, count, end: used.at(-1)?.end ?? 0, isGrouped: form === "grouped", mark });
  }
  return numbers;
}

/** `separator`: the mark behind the group, or a blank; empty behind the last. */
type Group = { readonly text: string; readonly end: number; readonly separator: string };

/** Lengths that cards no longer have, or hardly, are those of other numbers: article codes have 13 digits. */
const RARE = /^(?:\d{12,13}|[56]\d{13,14}|[56]\d{16})$/;
/** Of time or size: what is measured in one is no card. */
const UNIT_BEHIND = /^ ?(?:ms|[nµ]?s|bytes?|octets?|[kmg]i?b)(?![a-z0-9])|^ ?(?:毫秒|字节)/i;
const UNIT_LENGTH = 8;
/** From here on ids without a word near are so common that they are not even noted. */
const LONG_ID = 17;
/** And below this. */
const SHORT_ID = 15;

/** How sure a number of an issuer's range with a right sum is a card's; 0 for no finding. */
function scored(view: View, start: number, written: Written, next: Group | undefined): number {
  const { digits, end, isGrouped } = written;
  if (isTestCard(digits)) return NOTED;
  if (isAboutPayment(view, start, end)) return SURE;
  if (RARE.test(digits)) return 0;
  if (isListed(view, start, written, next)) return isGrouped ? NOTED : 0;
  if (isGrouped) return SURE;
  if (digits.length >= LONG_ID || digits.length < SHORT_ID) return 0;
  if (UNIT_BEHIND.test(view.slice(end, end + UNIT_LENGTH))) return 0;
  return isAlone(view, start, end) ? ALONE : NOTED;
}

/** Whether the text is this number and nothing else: what somebody types or a field holds, and no word says what it is. */
const isAlone = (view: View, start: number, end: number): boolean => view.base + start === 0 && view.code(end) === -1;

/** One of a row of numbers of four digits, `4012 4028 4031 4039 4052`, or a part of a path; a row of cards is none. */
function isListed(view: View, at: number, { end, mark }: Written, next: Group | undefined): boolean {
  if (view.code(at - 1) === 0x2f) return true;
  if (next?.text.length === 4 && !isCardAhead(view, end)) return true;
  const gap = view.runBack(at, SEPARATOR, MAX_SEPARATOR);
  const isApart = mark !== "" && markOf(view.before(at, gap)) !== mark;
  if (gap === 0 || isApart || view.runBack(at - gap, DIGIT, 5) !== 4) return false;
  return !isCard(CARD_BEFORE.exec(view.before(at, CARD_UNITS))?.[0] ?? "");
}

/** Units of a card in four groups and the gaps about it, at most. */
const CARD_UNITS = 16 + MAX_SEPARATOR * 4;
const CARD_BEFORE = /(?:\d{4}[ \t\r\n./,|-]{1,3}){4}$/;
const CARD_BEHIND = /^(?:[ \t\r\n./,|-]{1,3}\d{4}){4}/;

const isCardAhead = (view: View, end: number): boolean =>
  isCard(CARD_BEHIND.exec(view.slice(end, end + CARD_UNITS))?.[0] ?? "");

function isCard(written: string): boolean {
  const digits = written.replace(/\D/g, "");
  return isIssued(digits) && luhn(digits);
}

/** Not within a word, a decimal fraction, a path or a longer dashed number. */
function mayBegin(view: View, at: number): boolean {
  const before = view.code(at - 1);
  if (inSet(WORD, before)) return false;
  return !(before === 0x2d || before === 0x2e || before === 0x2c || before === 0x2f) || !view.is(at - 2, DIGIT);
}

/**
 * Whether the widths of the groups at `at` may be a card's: one group, single digits, or four digits and then four or
 * six. Most numbers end here, without anything cut out of the text. Where the text ends, `digitGroups` is to say.
 */
function mayBeCard({ text }: View, at: number): boolean {
  let first = 0;
  let total = 0;
  for (let i = at; total < MIN_DIGITS; ) {
    const end = endOf(text, i, DIGIT, MAX_DIGITS + 1);
    if (end >= text.length) return true;
    const width = end - i;
    if (!isCardWidth(first, width)) return false;
    first ||= width;
    total += width;
    i = endOf(text, end, SEPARATOR, MAX_SEPARATOR + 1);
    if (i >= text.length) return true;
    if (total < MIN_DIGITS && (i === end || i - end > MAX_SEPARATOR)) return false;
  }
  return true;
}

/** Whether a group of a card may be so wide behind a first one of `first` digits, 0 for none. See `writing`. */
function isCardWidth(first: number, width: number): boolean {
  if (first === 0) return width === 1 || width === 4 || (width >= MIN_DIGITS && width <= MAX_DIGITS);
  return first === 1 ? width === 1 : width < 8;
}

/** The end of the run of a set's units from `from` on, `most` of them at most. */
function endOf(text: string, from: number, set: CharSet, most: number): number {
  const stop = Math.min(text.length, from + most);
  let at = from;
  while (at < stop && inSet(set, text.charCodeAt(at))) at++;
  return at;
}

/** The groups of digits from `at` on, parted by the same mark or by blanks, up to 20 digits. */
function digitGroups(view: View, at: number): Group[] {
  const groups: Group[] = [];
  let start = at;
  let total = 0;
  let mark = "";
  while (total <= MAX_DIGITS) {
    const width = view.run(start, DIGIT, MAX_DIGITS + 1 - total);
    if (width === 0) break;
    total += width;
    const end = start + width;
    if (inSet(WORD, view.code(end))) break;
    const gap = view.run(end, SEPARATOR, MAX_SEPARATOR + 1);
    const separator = gap === 0 || gap > MAX_SEPARATOR ? "" : markOf(view.slice(end, end + gap));
    groups.push({ text: view.before(end, width), end, separator });
    if (separator === "" || (mark !== "" && separator !== mark)) break;
    mark = separator;
    start = end + gap;
  }
  return groups;
}

/** A run of one mark, blanks around it or not; blanks alone, those of a table and of a line's end told apart. */
function markOf(separator: string): string {
  if (separator === " " || separator === "-") return separator;
  const mark = separator.trim();
  if (mark !== "") return mark === mark.charAt(0).repeat(mark.length) && mark.length < 3 ? mark.charAt(0) : "";
  return /[\t\r\n]/.test(separator) ? "\n" : separator.slice(0, 1);
}

/** As cards are printed, in a way that lists of numbers are written too, or not as any card. */
function writing(groups: readonly Group[]): "grouped" | "loose" | "other" {
  if (groups.length === 1) return "loose";
  const widths = groups.map(({ text }) => text.length).join("");
  // Ones that extraction tools and people space out.
  if (/^1{12,19}$/.test(widths)) return "loose";
  if (!/^(?:465|464|4{3}[1-7]|4{4}[1-3]?)$/.test(widths)) return "other";
  return /[,|\n]/.test(groups[0]?.separator ?? "") ? "loose" : "grouped";
}
