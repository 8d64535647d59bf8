const WORDS =
  /example|sample|placeholder|dummy|random|redacted|changeme|your[-_a-z]|insert|replace|x{4,}|\*{3,}|\.{3,}|#{4,}|0{8,}|1234567890|abcdefgh|<|>|\$\{|\{\{/i;

/** Whether a value stands for one instead of being one: a documented example, a mask, a variable. */
export function isPlaceholder(value: string): boolean {
  return WORDS.test(value) || new Set(value).size < Math.min(5, value.length);
}

/** 1 for a value that looks drawn at random; so little for a placeholder that it is only flagged where all is. */
export function likeness(value: string): number {
  return isPlaceholder(value) ? 0.2 : 1;
}
