import { ibanRemainder } from "#core/checksums";
import { ALNUM, charSet, inSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";

/** Country → length. Source: SWIFT IBAN registry, release 99. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 " +
    "FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
    "LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 " +
    "SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const FIRST_LETTERS = new Set(Array.from(LENGTHS.keys(), (country) => country.charAt(0)));
const LETTER = charSet("A-Za-z");
const SEPARATOR = charSet(" -");
const MAX_LENGTH = 34;

/** International bank account numbers: the country's length, then mod 97. ISO 13616-1. */
export const iban: Detector = {
  id: "pii.iban",
  category: "pii",
  severity: "high",
  reach: MAX_LENGTH * 2 + 2,
  behind: 4,
  keywords: [],
  anchorDigits: true,
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
    if (view.is(i, ALNUM) || !/^..\d\d/.test(text) || ibanRemainder(text) !== 1) return null;
    return { start, end: i, score: 0.95 };
  },
};

/** One or two letters at the end that a country's code begins with. */
function pendingCountry(view: View): number {
  const end = view.text.length;
  const letters = view.runBack(end, ALNUM, 3);
  if (letters === 0 || letters > 2 || view.runBack(end, LETTER, 3) !== letters) return end;
  const tail = view.before(end, letters).toUpperCase();
  return letters === 2 ? (LENGTHS.has(tail) ? end - 2 : end) : FIRST_LETTERS.has(tail) ? end - 1 : end;
}
