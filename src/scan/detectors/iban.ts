import { ibanRemainder } from "#core/checksums";
import { ALNUM, allBut, charSet, DIGIT, inSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";

/** How a country writes what follows its code and check digits: so many digits (n), letters (a), or either (c). Source: SWIFT IBAN registry, release 99. */
const STRUCTURES: ReadonlyMap<string, string> = new Map(
  (
    "AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c CH5n12c CR18n " +
    "CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n " +
    "GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c " +
    "KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n " +
    "MT4a5n18c MU4a19n3a NI4a20n NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c " +
    "SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n " +
    "VG4a16n XK16n YE4a4n18c"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), entry.slice(2)]),
);
const PART = /(\d+)([nac])/g;
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Array.from(STRUCTURES, ([country, structure]) => [
    country,
    4 + Array.from(structure.matchAll(PART)).reduce((sum, [, width]) => sum + Number(width), 0),
  ]),
);
const FIRST_LETTERS = new Set(Array.from(LENGTHS.keys(), (country) => country.charAt(0)));
const LETTER = charSet("A-Za-z");
const NO_LETTER = allBut(LETTER);
const SEPARATOR = charSet(" -");
const MAX_LENGTH = 34;

/** International bank account numbers: the country's length and structure, then mod 97. ISO 13616-1. */
export const iban: Detector = {
  id: "pii.iban",
  category: "pii",
  severity: "high",
  reach: MAX_LENGTH * 2 + 2,
  behind: 4,
  keywords: [],
  anchorDigits: true,
  boundary: NO_LETTER,
  begin: (_, at) => Math.max(0, at - 2),
  pending: pendingCountry,
  read(view, at) {
    if (!view.is(at - 1, LETTER) || view.is(at - 3, ALNUM)) return null;
    const country = view.before(at, 2).toUpperCase();
    const length = LENGTHS.get(country);
    if (length === undefined) return null;
    const start = at - 2;
    let text = country;
    let i = at;
    while (text.length < length) {
      const code = view.code(i);
      if (inSet(ALNUM, code)) text += String.fromCharCode(code).toUpperCase();
      // Written in groups of four or in one piece: words and numbers that happen to divide by 97 are neither.
      else if (text.length % 4 !== 0 || !inSet(SEPARATOR, code) || !view.is(i + 1, ALNUM)) return null;
      i++;
    }
    if (view.is(i, ALNUM) || !isWritten(country, text) || ibanRemainder(text) !== 1) return null;
    return { start, end: i, score: 0.95 };
  },
};

/** Whether digits and letters stand where the country has them: most ids that divide by 97 have them elsewhere. */
function isWritten(country: string, text: string): boolean {
  if (!/^..\d\d/.test(text)) return false;
  let at = 4;
  for (const [, width, kind] of (STRUCTURES.get(country) ?? "").matchAll(PART)) {
    for (const end = at + Number(width); at < end; at++) {
      const isDigit = inSet(DIGIT, text.charCodeAt(at));
      if (kind !== "c" && isDigit !== (kind === "n")) return false;
    }
  }
  return true;
}

/** One or two letters at the end that a country's code begins with. */
function pendingCountry(view: View): number {
  const end = view.text.length;
  const letters = view.runBack(end, ALNUM, 3);
  if (letters === 0 || letters > 2 || view.runBack(end, LETTER, 3) !== letters) return end;
  const tail = view.before(end, letters).toUpperCase();
  return letters === 2 ? (LENGTHS.has(tail) ? end - 2 : end) : FIRST_LETTERS.has(tail) ? end - 1 : end;
}
