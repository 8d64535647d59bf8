import { charSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";

const LOCAL = charSet("A-Za-z0-9._%+-");
const MAX_LOCAL_LENGTH = 64;
const WINDOW = 96;
/** `acme (dot) org`, `mail.acme.org`. */
const DOMAIN =
  /^ ?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.| ?[([{<]dot[)\]}>] ?| dot )){1,4}(?:[a-z]{2,24})(?![a-z0-9@])/i;
/** A text's end at which the sign may be about to be spelt. */
const BEGUN = /[A-Za-z0-9._%+-]{1,64} ?(?:[([{<](?:at?)?)?$/;

/** Addresses of mail with their sign spelt out, so that programs miss them: `jane (at) acme (dot) org`. */
export const speltEmail: Detector = {
  id: "pii.email.spelt",
  type: "pii.email",
  category: "pii",
  severity: "medium",
  reach: WINDOW + 4,
  behind: MAX_LOCAL_LENGTH + 1,
  maxScore: 0.45,
  keywords: ["(at)", "[at]", "{at}", "<at>"],
  begin: beginOfLocal,
  pending(view) {
    const { length } = view.text;
    return length - (BEGUN.exec(view.before(length, MAX_LOCAL_LENGTH + 4))?.[0].length ?? 0);
  },
  read(view, at, length) {
    const start = beginOfLocal(view, at);
    const from = at + length;
    const domain = DOMAIN.exec(view.slice(from, from + WINDOW))?.[0];
    const local = view.before(at, at - start).trimEnd();
    if (domain === undefined || !/^[A-Za-z0-9].*[A-Za-z0-9]$/.test(local)) return null;
    return { start, end: from + domain.length, score: 0.45 };
  },
};

function beginOfLocal(view: View, at: number): number {
  const end = view.code(at - 1) === 0x20 ? at - 1 : at;
  return end - view.runBack(end, LOCAL, MAX_LOCAL_LENGTH);
}
