import { DIGIT, TOKEN, WORD } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";
import { cueBehind } from "./national/cue-behind";
import { columnName, TABLE } from "./national/table";

const CUE =
  /(?:\b|_)ssn(?:\b|_)|social[ _-]?(?:sec|number|insurance)|soc\.? ?sec|\bsocial ?[:#]|\bss ?#|\bss ?(?:no|num)|tax(?:payer)?[ _-]id|\bitin\b/i;
/** The same behind a number, or at the head of its column. */
const NAME = /^(?:ssn|social[ _-]?security)/;
/** Never given out: area 000, 666 and 9xx, group 00, serial 0000. */
const ASSIGNABLE = /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/;
const SEPARATORS = [0x2d, 0x20, 0x2e];
const CUE_DISTANCE = 48;
/** Numbers once printed in advertisements. Source: Social Security Administration, history FAQ. */
const ADVERTISED = /^(?:078051120|219099999|457555462)$/;

/** US social security numbers: dashed, or behind a cue. Ranges: SSA, "SSN randomization". */
export const usSsn: Detector = {
  id: "pii.us_ssn",
  category: "pii",
  severity: "high",
  reach: 72,
  behind: TABLE,
  keywords: [],
  anchorDigits: true,
  boundary: WORD,
  digitBehind: DIGIT,
  digitWidths: [3, 9],
  read(view, at) {
    const before = view.code(at - 1);
    if ((before === 0x2d || before === 0x2e) && view.is(at - 2, TOKEN)) return null;
    const width = writtenWidth(view, at);
    const end = at + width;
    if (width === 0 || goesOn(view, end)) return null;
    const digits = view.before(end, width).replace(/\D/g, "");
    const cued =
      CUE.test(view.before(at, CUE_DISTANCE)) || NAME.test(cueBehind(view, end) ?? columnName(view, at, end) ?? "");
    // Behind a cue a number nobody has is a slip or made up; it is noted all the same.
    if (!ASSIGNABLE.test(digits)) return cued ? { start: at, end, score: 0.4 } : null;
    if (ADVERTISED.test(digits)) return { start: at, end, score: 0.4 };
    if (cued) return { start: at, end, score: 0.95 };
    return view.code(at + 3) === 0x2d ? { start: at, end, score: 0.8 } : null;
  },
};

/** Width of nine digits at `at`, plain or as 3-2-4 with one separator; 0 if there is something else. */
function writtenWidth(view: View, at: number): number {
  const first = view.run(at, DIGIT, 10);
  if (first === 9) return 9;
  if (first !== 3) return 0;
  const separator = view.code(at + 3);
  if (!SEPARATORS.includes(separator)) return 0;
  if (view.run(at + 4, DIGIT, 3) !== 2 || view.code(at + 6) !== separator) return 0;
  return view.run(at + 7, DIGIT, 5) === 4 ? 11 : 0;
}

function goesOn(view: View, end: number): boolean {
  const after = view.code(end);
  return view.is(end, WORD) || ((after === 0x2d || after === 0x2e) && view.is(end + 1, WORD));
}
