import { hasDifferent } from "#core/checksums";
import { type CharSet, charSet, inSet } from "#scan/char-set";
import type { View } from "#scan/view";
import { isWordy } from "./spoken";

const MASKS =
  /example|sample|placeholder|dummy|random|redacted|changeme|your[-_a-z]|insert|replace|x{4,}|\*{3,}|\.{3,}|#{4,}|0{8,}|<|>|\$\{|\{\{/i;
/** Digits and letters in their order; words that hexadecimal digits spell, and pairs of digits in their order. */
const MADE_UP =
  /1234567890|0123456789|abcdefgh|dead-?beef|cafe-?babe|bad-?c0ffee|baadf00d|feedface|fee1dead|0badc0de|00112233|aabbccdd/i;
/** Payloads of the tokens that jwt.io and RFC 7519 §3.1 show. */
const SHOWN_TOKENS = /\.eyJ(?:zdWIiOiIxMjM0NTY3ODkwI|pc3MiOiJqb2UiLA0K)/;

/** Whether a value stands for one instead of being one: a documented example, a mask, a variable. */
export function isPlaceholder(value: string): boolean {
  return isMask(value) || MADE_UP.test(value) || SHOWN_TOKENS.test(value);
}

const isMask = (value: string): boolean => MASKS.test(value) || !hasDifferent(value, Math.min(5, value.length));

/** In shorter ones chance spells words too often. */
const WORDY_FROM = 24;

/**
 * 1 for a value that looks drawn at random; so little for a mask that it is only flagged where all is. Digits in
 * their order and words are in made-up examples, and now and then in real keys: flagged, and nothing blocked.
 */
export function likeness(value: string): number {
  if (isMask(value)) return 0.2;
  return isMadeUp(value) || (value.length >= WORDY_FROM && isWordy(value)) ? 0.4 : 1;
}

/** Five of one character in a row, or words in capitals: chance draws them in one of 100,000 keys. */
const FILLED = /([^0-9a-f])\1{4}|(.)\2{6}|(?:[A-Z]{3,}_){4}/;
const MIN_FILLED = 5;
const MIN_PARTS = 4;
/** Letters or digits in their order: `nopqrstu`. */
const MIN_ROW = 7;
const UNDERSCORE = 0x5f;

/** One pass tells of rows, and whether the expressions are worth their time: few values have what they begin with. */
function isMadeUp(value: string): boolean {
  let [row, same, underscores, before] = [1, 1, 0, -1];
  let mayBeFilled = false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    row = i > 0 && (code | 0x20) === (before | 0x20) + 1 ? row + 1 : 1;
    same = code === before ? same + 1 : 1;
    if (code === UNDERSCORE) underscores++;
    if (row >= MIN_ROW) return true;
    mayBeFilled ||= same >= MIN_FILLED || underscores >= MIN_PARTS;
    before = code;
  }
  return MADE_UP.test(value) || (mayBeFilled && FILLED.test(value));
}

/** Units behind a token's deciding part in which its end is looked for. */
export const CUT_OFF_REACH = 68;
const CUT_OFF = charSet(".*#");

/** Whether a token that goes on at `at` in units of `set` ends in `...` or a mask: shown in part, and of no use. */
export function isCutOff(view: View, at: number, set: CharSet): boolean {
  const end = at + view.run(at, set, CUT_OFF_REACH - 4);
  const [last, next] = [view.code(end - 1), view.code(end)];
  if (inSet(CUT_OFF, next) && view.code(end + 1) === next && view.code(end + 2) === next) return true;
  return inSet(CUT_OFF, last) && view.code(end - 2) === last && view.code(end - 3) === last;
}
