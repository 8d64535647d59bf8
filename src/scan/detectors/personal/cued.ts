import { ALNUM, allBut } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { fold } from "#scan/fold/normalize";

const NO_ALNUM = allBut(ALNUM);
/** Units behind a cue that its value is looked for in. */
const WINDOW = 96;

/** A detector of what follows a cue: `pattern` stands at the cue's end, its first group is the value. */
function cued(id: string, score: number, cues: string, pattern: RegExp): Detector {
  return {
    id,
    category: "pii",
    severity: score < 0.5 ? "low" : "medium",
    reach: WINDOW + 32,
    behind: 1,
    maxScore: score,
    get keywords() {
      return [...new Set(fold(cues).text.toLowerCase().split("|"))];
    },
    boundary: ALNUM,
    cue: true,
    precheck: () => ({ behind: NO_ALNUM, words: 0 }),
    read(view, at, length) {
      const from = at + length;
      if (view.is(from, ALNUM)) return null;
      // In small letters it is no title, but milliseconds.
      if (view.slice(at, from) === "ms") return null;
      const found = pattern.exec(view.slice(from, from + WINDOW));
      const value = found?.[1];
      if (!found || value === undefined) return null;
      const end = from + found[0].length;
      return { start: end - value.length, end, score };
    },
  };
}

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
const DATE = `\\d{4} ?年 ?\\d{1,2} ?月 ?\\d{1,2} ?日|\\d{1,2}\\.? (?:de )?\\p{L}{3,10}\\.? (?:de )?\\d{4}|\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/. ]\\d{1,2}[-/. ]\\d{2,4}|\\d{1,2}(?:st|nd|rd|th)? ${MONTH},? \\d{4}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}`;

/** What words alone give away; names and addresses are guesses, and only noted. */
export const PERSONAL: readonly Detector[] = [
  cued(
    "pii.date_of_birth",
    0.7,
    "date of birth|date_of_birth|dateofbirth|dob|d.o.b.|born|born on|birth date|birthdate|birth_date|birthday|geburtsdatum|" +
      "geboren am|geboren|fecha de nacimiento|date de naissance|data di nascita|data de nascimento|geboortedatum|" +
      "né le|née le|nacido el|nacida el|nato il|nata il|data urodzenia|födelsedatum|fødselsdato|syntymäaika|doğum tarihi|" +
      "дата рождения|生年月日|出生日期|생년월일|تاريخ الميلاد|b-day|date-of-birth",
    new RegExp(`^[^\\d\\n]{0,20}?(${DATE})(?!\\d)`, "iu"),
  ),
  cued(
    "pii.swift",
    0.6,
    "swift|bic|swift code|bic code",
    /^[^\n]{0,16}?(?<![A-Za-z0-9])([A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?)(?![A-Za-z0-9])/,
  ),
  cued(
    "pii.name",
    0.35,
    "my name is|full name|first name|last name|full_name|first_name|last_name|mr|mrs|ms|dear",
    /^[ "':=.]{1,5}(?:is )?((?!Sir|Madam|Customer|Team|All|Hiring|Friend)\p{Lu}[\p{L}'-]{1,24}(?: (?:(?:van|von|der|de|la|di|bin|al) )?(?:\p{Lu}\.(?= )|\p{Lu}[\p{L}'-]{0,24})){0,3})/u,
  ),
  // In small letters: `personal/person.ts` finds the others.
  cued(
    "pii.address",
    0.35,
    "address|lives at|live at|living at|residing at|ship to|deliver to|sent to|return to|moved to|taxi to",
    /^[^\d\n]{0,20}\n?(\d{1,5}[A-Za-z]? (?=\p{Ll}|\p{Lo})(?:[\p{Ll}\p{Lo}\d.'/-]{1,24}(?:, ?| |,?\n)){1,7}[\p{Ll}\p{Lo}\d]{1,20})/u,
  ),
];
