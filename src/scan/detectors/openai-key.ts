import { entropy } from "#core/checksums";
import { ALNUM, TOKEN } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { CUT_OFF_REACH, isCutOff, likeness } from "./placeholder";

const MARKED = ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"];
const MARKED_SEEN = 24;
/** Keys without a project are 48 letters and digits, the middle eight "OpenAI" in base64. */
const OLD_LENGTH = 48;
const OLD_MARK = "T3BlbkFJ";
/** Other providers' `sk-` keys: at least this long, and of letters and digits that look drawn. */
const MIN_OTHER_LENGTH = 24;

/** OpenAI keys, and keys of services that copied their look. */
export const openaiKey: Detector = {
  id: "secret.openai_key",
  category: "secret",
  severity: "critical",
  reach: OLD_LENGTH + 12 + CUT_OFF_REACH,
  behind: 1,
  boundary: TOKEN,
  keywords: ["sk-"],
  read(view, at) {
    const marked = MARKED.find((prefix) => view.has(at, prefix));
    if (marked !== undefined) {
      const body = at + marked.length;
      if (view.run(body, TOKEN, MARKED_SEEN) < MARKED_SEEN) return null;
      const end = body + MARKED_SEEN;
      const score = isCutOff(view, end, TOKEN) ? 0.2 : likeness(view.slice(body, end));
      return { start: at, end, score, tail: { kind: "run", set: TOKEN } };
    }
    const body = at + 3;
    const length = view.run(body, ALNUM, OLD_LENGTH);
    if (length < MIN_OTHER_LENGTH || view.short) return null;
    const end = body + length;
    const text = view.before(end, length);
    const tail = { kind: "run", set: ALNUM } as const;
    if (isCutOff(view, end, ALNUM)) return null;
    if (text.slice(20, 28) === OLD_MARK) return { start: at, end, score: 1, tail };
    if (!/\d/.test(text) || !/[A-Za-z]/.test(text) || entropy(text) < 3) return null;
    return { start: at, end, score: 0.85 * likeness(text), tail };
  },
};
