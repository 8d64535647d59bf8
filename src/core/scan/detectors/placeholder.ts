import type { CharSet } from "#core/scan/char-set";
import { hasDifferent } from "#core/scan/checksums";
import type { View } from "#core/scan/view";
import { isWordy } from "./spoken";

const MASKS =
  /example|sample|placeholder|dummy|random|redacted|changeme|your[-_a-z]|insert|replace|x{4,}|\*{3,}|\.{3,}|#{4,}|0{8,}|<|>|\$\{|\{\{/i;
const SEQUENCES = /1234567890|0123456789|abcdefgh/i;
/** Words that hexadecimal digits spell, and pairs of digits in their order. */
const SPELT_HEX = /dead-?beef|cafe-?babe|bad-?c0ffee|baadf00d|feedface|fee1dead|0badc0de|00112233|aabbccdd/i;
/** Payloads of the tokens that jwt.io and RFC 7519 §3.1 show. */
const SHOWN_TOKENS = /\.eyJ(?:zdWIiOiIxMjM0NTY3ODkwI|pc3MiOiJqb2UiLA0K)/;

/** Whether a value stands for one instead of being one: a documented example, a mask, a variable. */
export function isPlaceholder(value: string): boolean {
  return isMask(value) || SEQUENCES.test(value) || SPELT_HEX.test(value) || SHOWN_TOKENS.test(value);
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
const MIN_ROW = 7;

function isMadeUp(value: string): boolean {
  return SEQUENCES.test(value) || SPELT_HEX.test(value) || FILLED.test(value) || hasRow(value);
}

/** Letters or digits in their order: `nopqrstu`. */
function hasRow(value: string): boolean {
  let row = 1;
  for (let i = 1; i < value.length && row < MIN_ROW; i++) {
    row = (value.charCodeAt(i) | 0x20) === (value.charCodeAt(i - 1) | 0x20) + 1 ? row + 1 : 1;
  }
  return row >= MIN_ROW;
}

/** Units behind a token's deciding part in which its end is looked for. */
export const CUT_OFF_REACH = 68;
const CUT_OFF = ["...", "***", "###"];

/** Whether a token that goes on at `at` in units of `set` ends in `...` or a mask: shown in part, and of no use. */
export function isCutOff(view: View, at: number, set: CharSet): boolean {
  const end = at + view.run(at, set, CUT_OFF_REACH - 4);
  return CUT_OFF.some((mark) => view.has(end, mark)) || CUT_OFF.some((mark) => view.before(end, 3) === mark);
}
