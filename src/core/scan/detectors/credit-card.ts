import { DIGIT, inSet, WORD } from "#core/scan/char-set";
import { hasDifferent, luhn } from "#core/scan/checksums";
import type { Detector } from "#core/scan/detector";
import type { View } from "#core/scan/view";

const MOST_DIGITS = 19;
const SEPARATORS = [0x20, 0x2d, 0x2e];

type Issuer = { readonly ranges: readonly (readonly [number, number])[]; readonly lengths: readonly number[] };

/** Ranges of the first six digits. Sources: the issuers' published BIN ranges, ISO/IEC 7812. */
const ISSUERS: readonly Issuer[] = [
  { ranges: [[400000, 499999]], lengths: [16, 19, 13] },
  {
    ranges: [
      [510000, 559999],
      [222100, 272099],
    ],
    lengths: [16],
  },
  {
    ranges: [
      [340000, 349999],
      [370000, 379999],
    ],
    lengths: [15],
  },
  {
    ranges: [
      [300000, 305999],
      [309500, 309599],
      [360000, 369999],
      [380000, 399999],
    ],
    lengths: [14, 16, 19],
  },
  {
    ranges: [
      [601100, 601199],
      [644000, 659999],
    ],
    lengths: [16, 19],
  },
  { ranges: [[352800, 358999]], lengths: [16, 19] },
  {
    ranges: [
      [180000, 180099],
      [213100, 213199],
    ],
    lengths: [15],
  },
  {
    ranges: [
      [620000, 629999],
      [810000, 817199],
    ],
    lengths: [16, 17, 18, 19],
  },
  {
    ranges: [
      [500000, 509999],
      [560000, 589999],
      [630000, 639999],
      [670000, 679999],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  },
  { ranges: [[220000, 220499]], lengths: [16] },
];

/** Right before a number, these say that it is a card's, though its sum be wrong: a slip, or made up. */
const STRONG_CUE =
  /(?:(?:credit|debit|bank|payment) ?card|visa|master ?card|amex|american express|discover|maestro|card[ _-]?(?:number|no|num)|kreditkarte|kartennummer|numero de tarjeta|tarjeta de credito|carte bancaire|carte de credit|carta di credito|cartao de credito|信用卡|カード番号)(?: (?:number|no|num))?[\s"'.:=(#|>]{1,4}(?:is )?$/i;
const CUE = /card|visa|master|amex|credit|debit|payment|kreditkarte|karte|tarjeta|carte/i;

export const creditCard: Detector = {
  id: "pii.credit_card",
  category: "pii",
  severity: "high",
  reach: MOST_DIGITS * 2 + 2,
  behind: 48,
  keywords: [],
  anchorDigits: true,
  read(view, at) {
    const first = view.code(at) - 48;
    // Of those with a 1 some are JCB's, 1800.
    if (first < 1 || first > 8 || (first === 1 && view.code(at + 1) !== 0x38) || !mayBegin(view, at)) return null;
    const groups = digitGroups(view, at);
    for (let count = groups.length; count > 0; count--) {
      const end = groups[count - 1]?.end ?? at;
      // Fewer groups have fewer digits still.
      if (end - at < 12) return null;
      const used = groups.slice(0, count);
      const digits = used.map(({ text }) => text).join("");
      if (digits.length < 12 || digits.length > MOST_DIGITS || !wellGrouped(used)) continue;
      const score = hasDifferent(digits, 2) ? scored(view, at, digits) : 0;
      if (score > 0) return { start: at, end, score };
    }
    return null;
  },
};

/** Lengths that cards no longer have, or hardly, are those of other numbers: article codes have 13 digits. */
const RARE = /^(?:\d{12,13}|[56]\d{13,14}|[56]\d{16})$/;

function scored(view: View, at: number, digits: string): number {
  const before = view.before(at, 48);
  if (isIssued(digits) && luhn(digits)) return !RARE.test(digits) || CUE.test(before) ? 0.95 : 0;
  return digits.length > 12 && STRONG_CUE.test(before) ? 0.4 : 0;
}

type Group = { readonly text: string; readonly end: number };

/** Not within a word, a decimal fraction or a longer dashed number. */
function mayBegin(view: View, at: number): boolean {
  const before = view.code(at - 1);
  if (inSet(WORD, before)) return false;
  return !(before === 0x2d || before === 0x2e) || !view.is(at - 2, DIGIT);
}

/** The groups of digits from `at` on, parted by one and the same separator, up to 20 digits. */
function digitGroups(view: View, at: number): Group[] {
  const groups: Group[] = [];
  let start = at;
  let total = 0;
  let separator = 0;
  while (total <= MOST_DIGITS) {
    const width = view.run(start, DIGIT, MOST_DIGITS + 1 - total);
    if (width === 0) break;
    total += width;
    const end = start + width;
    groups.push({ text: view.before(end, width), end });
    const next = view.code(end);
    if (inSet(WORD, next)) {
      groups.pop();
      break;
    }
    if (!SEPARATORS.includes(next) || (separator !== 0 && next !== separator)) break;
    separator = next;
    start = end + 1;
  }
  return groups;
}

/** Cards are printed in groups of four, or 4-6-5 and 4-6-4. */
function wellGrouped(groups: readonly Group[]): boolean {
  if (groups.length === 1) return true;
  const widths = groups.map(({ text }) => text.length).join("");
  return /^(?:465|464|4{3}[1-7]|4{4}[1-3]?)$/.test(widths);
}

function isIssued(digits: string): boolean {
  const head = Number(digits.slice(0, 6));
  return ISSUERS.some(
    ({ ranges, lengths }) =>
      lengths.includes(digits.length) && ranges.some(([low, high]) => head >= low && head <= high),
  );
}
