/*
 * The check algorithms that identity numbers use. All take a string of the characters they are defined over and tell
 * whether its check characters are right; a digit is a digit's value, a letter its value in base 36.
 */

/** Sum of the characters' values times their weights; characters behind the last weight do not count. */
export function weightedSum(text: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * valueAt(text, i);
  return sum;
}

/** The value of the character at `i`: 0 to 9, A = 10 … Z = 35. */
export function valueAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return code <= 57 ? code - 48 : code - 55;
}

/** A check on a weighted sum's remainder: `weighted([3, 1], 10, (rest) => rest)` reads the digit behind the weights. */
export function weighted(
  weights: readonly number[],
  modulus: number,
  expected: (rest: number) => number,
): (text: string) => boolean {
  return (text) => expected(weightedSum(text, weights) % modulus) === valueAt(text, weights.length);
}

/** The check digit that brings a sum to a multiple of 11; where that would be 10, `ten` takes its place. */
export const complement11 =
  (ten: number) =>
  (rest: number): number => {
    const check = (11 - rest) % 11;
    return check === 10 ? ten : check;
  };

/** A sum by 11 whose remainder is the check digit; where that is 10, a second row is tried: by default two more each. */
export function twoRows(
  first: readonly number[],
  second: readonly number[] = first.map((weight) => weight + 2),
): (text: string) => boolean {
  return (text) => {
    const rest = weightedSum(text, first) % 11;
    return (rest < 10 ? rest : (weightedSum(text, second) % 11) % 10) === valueAt(text, first.length);
  };
}

/** ISO/IEC 7064, MOD 11-2: the last may be X for 10. */
export function mod11And2(text: string): boolean {
  let rest = 0;
  for (let i = 0; i < text.length - 1; i++) rest = ((rest + valueAt(text, i)) * 2) % 11;
  const last = text.charAt(text.length - 1) === "X" ? 10 : valueAt(text, text.length - 1);
  return (rest + last) % 11 === 1;
}

/** ISO/IEC 7064, MOD 11,10. */
export function mod11And10(digits: string): boolean {
  let rest = 10;
  for (let i = 0; i < digits.length - 1; i++) rest = (((rest + valueAt(digits, i)) % 10 || 10) * 2) % 11;
  return (rest + valueAt(digits, digits.length - 1)) % 10 === 1;
}

/** Remainder of a number of any length. */
export function remainder(digits: string, modulus: number): number {
  let rest = 0;
  for (let i = 0; i < digits.length; i++) rest = (rest * 10 + valueAt(digits, i)) % modulus;
  return rest;
}

/** Verhoeff's check: the dihedral group of ten elements. J. Verhoeff, "Error Detecting Decimal Codes", 1969. */
export function verhoeff(digits: string): boolean {
  let state = 0;
  for (let i = 0; i < digits.length; i++) {
    state = times(state, permuted(valueAt(digits, digits.length - 1 - i), i));
  }
  return state === 0;
}

/** The product of two symmetries of the pentagon: 0 to 4 turn it, 5 to 9 flip it. */
function times(one: number, other: number): number {
  const turn = one < 5 ? (one + other) % 5 : (one - other + 10) % 5;
  return one < 5 === other < 5 ? turn : turn + 5;
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

function permuted(digit: number, position: number): number {
  let value = digit;
  for (let i = position % 8; i > 0; i--) value = PERMUTATION[value] ?? 0;
  return value;
}

/** EAN-13 and its kin: weights 1 and 3 in turn, the last has 1. */
export function ean(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += valueAt(digits, digits.length - 1 - i) * (i % 2 === 1 ? 3 : 1);
  return sum % 10 === 0;
}

/** Whether `yymmdd` can be a date; some countries add to the month or the day, which the caller takes off. */
export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 ? (year % 4 === 0 ? 29 : 28) : 31);
}

/** A check that six digits from `at` are a date: `order` says which two are what. */
export function dated(at: number, order: "ymd" | "dmy"): (text: string) => boolean {
  return (text) => {
    const [first, month, last] = [0, 2, 4].map((i) => Number(text.slice(at + i, at + i + 2)));
    const [year, day] = order === "ymd" ? [first, last] : [last, first];
    return isDate(year ?? 0, month ?? 0, day ?? 0);
  };
}

/** All of several checks. */
export const both =
  (...checks: readonly ((text: string) => boolean)[]) =>
  (text: string): boolean =>
    checks.every((check) => check(text));
