/** A share of counted things with the interval that holds the true one in 95 of 100 runs. */
export type Rate = {
  readonly count: number;
  readonly of: number;
  /** Null of nothing. */
  readonly share: number | null;
  readonly low: number | null;
  readonly high: number | null;
};

/** Of the standard normal distribution, two-sided 95 %. */
const Z = 1.959_964;

/** Wilson's score interval (1927): it stays within 0 and 1, and says something of 0 in n too. */
export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, share: null, low: null, high: null };
  const found = count / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (found + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((found * (1 - found)) / of + Z ** 2 / (4 * of ** 2));
  return {
    count,
    of,
    share: found,
    low: count === 0 ? 0 : Math.max(0, middle - half),
    high: count === of ? 1 : Math.min(1, middle + half),
  };
}

/** `93.1 % (92.4–93.7)`; a dash of nothing. Small shares have two decimals. */
export function rateText({ share: found, low, high }: Rate): string {
  if (found === null || low === null || high === null) return "–";
  const decimals = high < 0.02 ? 2 : 1;
  const [middle, least, most] = [found, low, high].map((value) => (value * 100).toFixed(decimals));
  return `${middle} % (${least}–${most})`;
}
