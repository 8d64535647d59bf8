/**
 * The page speaks English: what is counted and dated in its sentences does too, in the viewer's own kind of English
 * where they have one. Otherwise a page would say `Set vor 5 Minuten`.
 */
const { languages = [] }: { readonly languages?: readonly string[] } = navigator; // Outside of browsers there are none.
export const LOCALE: string = languages.find((one) => /^en\b/i.test(one)) ?? "en-GB";

const whole = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });

export const numberOf = (value: number): string => whole.format(value);
export const roughly = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value));
/** `1 review`, `2 reviews`. */
export const countOf = (count: number, one: string, more = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : more}`;

export const shareOf = (value: number): string => percent.format(value);

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

const usd = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
const dollars = new Intl.NumberFormat(LOCALE, usd);
/** Of calls that cost less than a cent, what they cost all the same. */
const partsOfCents = new Intl.NumberFormat(LOCALE, { ...usd, maximumSignificantDigits: 3 });

const isWholeCents = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9;

export const usdOf = (value: number): string =>
  (value >= 1 || isWholeCents(value) ? dollars : partsOfCents).format(value);

/** What a call cost, and how sure that is; nothing where it cost nothing. */
export const costOf = ({
  cost_usd,
  cost_basis,
}: {
  readonly cost_usd: number | null;
  readonly cost_basis: string | null;
}): string => {
  if (cost_basis === "unpriced") return "unpriced";
  if (cost_usd === null) return "";
  return `${cost_basis === "estimate" ? "≈ " : ""}${usdOf(cost_usd)}`;
};

export const bytesOf = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
};
