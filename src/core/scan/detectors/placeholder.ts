import { hasDifferent } from "#core/scan/checksums";
import { isWordy } from "./spoken";

const MASKS =
  /example|sample|placeholder|dummy|random|redacted|changeme|your[-_a-z]|insert|replace|x{4,}|\*{3,}|\.{3,}|#{4,}|0{8,}|<|>|\$\{|\{\{/i;
const SEQUENCES = /1234567890|0123456789|abcdefgh/i;

/** Whether a value stands for one instead of being one: a documented example, a mask, a variable. */
export function isPlaceholder(value: string): boolean {
  return isMask(value) || SEQUENCES.test(value);
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
  return SEQUENCES.test(value) || (value.length >= WORDY_FROM && isWordy(value)) ? 0.4 : 1;
}
