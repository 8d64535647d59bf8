import { entropy } from "#core/checksums";
import { type CharSet, charSet, HEX } from "#scan/char-set";
import type { Detector } from "#scan/detector";

type Suffix = { readonly set: CharSet; readonly before: number; readonly behind: number };

const WORD = charSet("A-Za-z0-9_");
const DATA_CENTRES = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `-us${digit}`);

/** Marks at the end of a key: so much of one set before them, and up to so many digits behind. */
const SUFFIXES: Readonly<Record<string, Suffix>> = {
  ...Object.fromEntries(DATA_CENTRES.map((mark) => [mark, { set: HEX, before: 32, behind: 1 }])), // Mailchimp
  _mmk: { set: WORD, before: 36, behind: 0 }, // MaxMind
  ffffnral: { set: HEX, before: 32, behind: 0 }, // New Relic's licences
};
const MAX_LENGTH = 36;

/** A key that is known by its end. Only flagged: a stream would have to wait for the end of every word. */
export const suffixedKey: Detector = {
  id: "secret.provider_key.suffixed",
  type: "secret.provider_key",
  category: "secret",
  severity: "high",
  reach: 8 + 2,
  behind: MAX_LENGTH + 1,
  maxScore: 0.65,
  keywords: Object.keys(SUFFIXES),
  begin: (view, at) => at - view.runBack(at, WORD, MAX_LENGTH),
  read(view, at, length) {
    const suffix = SUFFIXES[view.slice(at, at + length).toLowerCase()];
    if (!suffix || view.runBack(at, suffix.set, MAX_LENGTH + 1) !== suffix.before) return null;
    const end = at + length + view.run(at + length, charSet("0-9"), suffix.behind);
    if (view.is(end, WORD) || entropy(view.before(at, suffix.before)) < 3) return null;
    return { start: at - suffix.before, end, score: 0.65 };
  },
};
