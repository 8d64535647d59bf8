import { DIGIT, TOKEN, WORD } from "../char-set";
import type { Detector } from "../detector";

const CUE = /\bssn\b|social[ -]?sec|soc\.? ?sec|tax(?:payer)? id|\bitin\b/i;
const CUE_DISTANCE = 48;
/** Numbers once printed in advertisements. Source: Social Security Administration, history FAQ. */
const ADVERTISED = /^(?:078051120|219099999|457555462)$/;

/** US social security numbers: dashed, or behind a cue. Ranges: SSA, "SSN randomization". */
export const usSsn: Detector = {
  id: "pii.us_ssn",
  category: "pii",
  severity: "high",
  reach: 13,
  behind: CUE_DISTANCE,
  keywords: [],
  anchorDigits: true,
  boundary: WORD,
  read(view, at) {
    const before = view.code(at - 1);
    if ((before === 0x2d || before === 0x2e) && view.is(at - 2, TOKEN)) return null;
    const first = view.run(at, DIGIT, 10);
    if (first !== 3 && first !== 9) return null;
    let digits = view.before(at + 9, 9);
    let end = at + 9;
    const separator = first === 9 ? -1 : view.code(at + 3);
    if (first === 3) {
      if (separator !== 0x2d && separator !== 0x20 && separator !== 0x2e) return null;
      if (view.run(at + 4, DIGIT, 3) !== 2 || view.code(at + 6) !== separator) return null;
      if (view.run(at + 7, DIGIT, 5) !== 4) return null;
      end = at + 11;
      digits = view.slice(at, end).replace(/\D/g, "");
    }
    const after = view.code(end);
    if (view.is(end, WORD) || ((after === 0x2d || after === 0x2e) && view.is(end + 1, WORD))) return null;
    if (!/^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits)) return null;
    if (ADVERTISED.test(digits) || new Set(digits).size < 2) return { start: at, end, score: 0.4 };
    const cued = CUE.test(view.before(at, CUE_DISTANCE));
    if (cued) return { start: at, end, score: 0.95 };
    return separator === 0x2d ? { start: at, end, score: 0.8 } : null;
  },
};
