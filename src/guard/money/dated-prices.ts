import type { Price } from "#model/price";

/* What the table of prices is made of. */

export type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

/** In force from a day on, or daily between two times (seconds after midnight, UTC). */
export type DatedPrice = { readonly price: Price; readonly from?: number; readonly daily?: readonly [number, number] };

export type CatalogueModel = { readonly id: string; readonly match: Match; readonly prices: readonly DatedPrice[] };

export type CatalogueProvider = {
  readonly id: string;
  /** A regular expression: how the base URLs of its API begin. */
  readonly url: string;
  /** Providers whose prices it has, where it has none of its own. */
  readonly others: readonly string[];
  readonly models: readonly CatalogueModel[];
};

/** Of dated prices, that of a moment. */
export const priceAt = (dated: readonly DatedPrice[], at: number): Price | null =>
  (dated.findLast((one) => isInForce(one, at)) ?? dated[0])?.price ?? null;

const isInForce = ({ from, daily }: DatedPrice, at: number): boolean => {
  if (from !== undefined) return at >= from;
  if (daily === undefined) return true;
  const second = Math.floor(at / 1_000) % 86_400;
  const [start, end] = daily;
  return end < start ? second >= start || second < end : second >= start && second < end;
};
