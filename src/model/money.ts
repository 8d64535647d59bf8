/*
 * Money: whole nano-dollars, so that sums are exact and in any order the same. Dollars are what people write and read: a
 * decimal number, never a result of arithmetic.
 */

const NANO_A_DOLLAR = 1_000_000_000;
const DECIMALS = 9;

/** A million dollars, in nano-dollars: up to here a number in dollars names one number of nano-dollars. */
export const MAX_NANO = 1e15;

/** As JSON has it: `0.001234`. */
export const usdOf = (nano: number): number => nano / NANO_A_DOLLAR;

/** Of what `usdOf` gave, the same again. */
export const nanoOf = (usd: number): number => Math.round(usd * NANO_A_DOLLAR);

/** Dollars as people write them, `12.50`, in nano-dollars; null for what is no amount up to `MAX_NANO`. */
export const parsedUsd = (text: string): number | null => {
  const [, whole, decimals = ""] = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const nano = Number(whole) * NANO_A_DOLLAR + Number(decimals.padEnd(DECIMALS, "0"));
  return nano <= MAX_NANO ? nano : null;
};

/** `12.50`, `0.001234`: two decimals at least. */
export const shownUsd = (nano: number): string => {
  const rest = String(nano % NANO_A_DOLLAR).padStart(DECIMALS, "0");
  return `${Math.floor(nano / NANO_A_DOLLAR)}.${rest.slice(0, 2)}${rest.slice(2).replace(/0+$/, "")}`;
};
