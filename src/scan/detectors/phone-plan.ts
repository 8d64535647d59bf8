import metadata from "libphonenumber-js/min/metadata";
import { once } from "#scan/fold/once";

/*
 * Whether digits are a valid telephone number, by libphonenumber's numbering plans. The answer is that of
 * `parsePhoneNumberFromString(text, { defaultCountry, extract: false })?.isValid()`, which a property test holds it to;
 * the library compiles some forty regular expressions anew for each number it reads, and here each is compiled once.
 */

/** Numbers of up to this many digits have a plan (ITU-T E.164 allows 15; two more are known in Germany and Japan). */
const MAX_NATIONAL = 17;
const MIN_NATIONAL = 2;
const MAX_CALLING_CODE = 3;
const ZERO = 0x30;

/** A kind of number (fixed line, mobile, …): its pattern, and its lengths as bits. */
type Kind = { readonly pattern: RegExp; readonly lengths: number };

/** One country's numbering plan, compiled. */
type Plan = {
  readonly callingCode: string;
  /** What is dialled before a number of another country. */
  readonly abroad: RegExp;
  readonly general: RegExp;
  /** Possible lengths as bits, the least and the greatest of them. */
  readonly lengths: number;
  readonly least: number;
  readonly most: number;
  /** What is dialled before a number of the same country, and what takes its place. */
  readonly prefix: RegExp | null;
  readonly prefixRule: string;
  /** Tells countries of one calling code apart. */
  readonly leading: RegExp | null;
  /** Null where the plan names none: then the general pattern decides. */
  readonly kinds: readonly Kind[] | null;
  /** All lengths that any kind has; without kinds, all. */
  readonly kindLengths: number;
};

type Row = readonly unknown[];

const text = (row: Row, at: number): string => {
  const cell = row[at];
  return typeof cell === "string" ? cell : "";
};
const list = (row: Row, at: number): Row => {
  const cell: unknown = row[at];
  return Array.isArray(cell) ? cell : [];
};
const numbers = (row: Row, at: number): number[] => list(row, at).filter((one) => typeof one === "number");
const bitsOf = (lengths: readonly number[]): number => lengths.reduce((bits, length) => bits | (1 << length), 0);
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const start = (pattern: string): RegExp => new RegExp(`^(?:${pattern})`);

function compiled(row: Row): Plan {
  const lengths = numbers(row, 3);
  const prefix = text(row, 7) || text(row, 5);
  const rows = list(row, 11);
  const kinds = rows.flatMap((kind): Kind[] => {
    if (!Array.isArray(kind) || text(kind, 0) === "") return [];
    const own = numbers(kind, 1);
    return [{ pattern: whole(text(kind, 0)), lengths: bitsOf(own.length > 0 ? own : lengths) }];
  });
  return {
    callingCode: text(row, 0),
    abroad: start(text(row, 1)),
    general: whole(text(row, 2)),
    lengths: bitsOf(lengths),
    least: lengths[0] ?? 0,
    most: lengths.at(-1) ?? Number.POSITIVE_INFINITY,
    prefix: prefix === "" ? null : start(prefix),
    prefixRule: text(row, 8),
    leading: text(row, 10) === "" ? null : start(text(row, 10)),
    kinds: rows.length === 0 ? null : kinds,
    kindLengths: rows.length === 0 ? -1 : kinds.reduce((bits, kind) => bits | kind.lengths, 0),
  };
}

/** Each plan is compiled when the first number needs it. */
const lazily = (row: Row): (() => Plan) => once(() => compiled(row));

type Countries = readonly (() => Plan)[];

const BY_COUNTRY: ReadonlyMap<string, () => Plan> = new Map(
  Object.entries(metadata.countries).map(([country, row]) => [country, lazily(row)]),
);

/** Calling code → the countries that share it, the main one first. */
const BY_CODE: ReadonlyMap<string, Countries> = new Map([
  ...Object.entries(metadata.nonGeographic).map(([code, row]): [string, Countries] => [code, [lazily(row)]]),
  ...Object.entries(metadata.country_calling_codes).flatMap(([code, countries]): [string, Countries][] => {
    const plans = countries.flatMap((country) => BY_COUNTRY.get(country) ?? []);
    return plans.length === 0 ? [] : [[code, plans]];
  }),
]);

/** Whether digits that begin with a country's calling code are a valid number. */
export function isValidAbroad(digits: string): boolean {
  if (digits.charCodeAt(0) === ZERO) return false;
  for (let width = 1; width <= MAX_CALLING_CODE && width <= digits.length; width++) {
    const countries = BY_CODE.get(digits.slice(0, width));
    const main = countries?.[0];
    if (countries && main) return isValidIn(digits.slice(width), main(), countries);
  }
  return false;
}

/** Whether digits as they are dialled in a country are a valid number. */
export function isValidAtHome(digits: string, country: string): boolean {
  const plan = BY_COUNTRY.get(country)?.();
  if (!plan) return false;
  const { callingCode, abroad, most, general } = plan;
  const dialled = abroad.exec(digits)?.[0] ?? "";
  if (dialled !== "" && digits.length > dialled.length && digits.charCodeAt(dialled.length) !== ZERO) {
    return isValidAbroad(digits.slice(dialled.length));
  }
  const countries = BY_CODE.get(callingCode) ?? [];
  const main = countries[0]?.() ?? plan;
  if (digits.startsWith(callingCode)) {
    // The plus sign may have been left out.
    const shorter = digits.slice(callingCode.length);
    const national = withoutPrefix(digits, plan, countries);
    const isShorter = !general.test(national) && general.test(withoutPrefix(shorter, plan, countries));
    if (isShorter || national.length > most) return isValidIn(shorter, main, countries);
  }
  return isValidIn(digits, plan, countries);
}

/** `plan` is the caller's country's or, for a number from abroad, that of the calling code's main country. */
function isValidIn(digits: string, plan: Plan, countries: Countries): boolean {
  const national = withoutPrefix(digits, plan, countries);
  if (national.length < MIN_NATIONAL || national.length > MAX_NATIONAL) return false;
  const country = countryOf(national, countries);
  return fits(national, country ?? plan);
}

/** Whether a plan has the number: by one of its kinds, or in general where it tells none apart. */
function fits(national: string, { general, kinds, kindLengths }: Plan): boolean {
  const bit = 1 << national.length;
  if ((kindLengths & bit) === 0 || !general.test(national)) return false;
  return kinds === null || isOfKind(national, bit, kinds);
}

function isOfKind(national: string, bit: number, kinds: readonly Kind[]): boolean {
  for (const { lengths, pattern } of kinds) if ((lengths & bit) !== 0 && pattern.test(national)) return true;
  return false;
}

/** Which of the countries that share a calling code has the number. */
function countryOf(national: string, countries: Countries): Plan | undefined {
  if (countries.length === 1) return countries[0]?.();
  for (const country of countries) {
    const plan = country();
    const isOwn = plan.leading ? plan.leading.test(national) : plan.kinds !== null && fits(national, plan);
    if (isOwn) return plan;
  }
  return undefined;
}

/** The number without what is dialled before it, unless it would then be none, or of an impossible length. */
function withoutPrefix(digits: string, plan: Plan, countries: Countries): string {
  const { prefix, prefixRule, general } = plan;
  const found = prefix?.exec(digits);
  if (!prefix || !found) return digits;
  const isGrouped = found.length > 1 && found[found.length - 1];
  const bare = isGrouped && prefixRule !== "" ? digits.replace(prefix, prefixRule) : digits.slice(found[0].length);
  if (bare === digits || (general.test(digits) && !general.test(bare))) return digits;
  const { lengths, least, most } = countryOf(bare, countries) ?? plan;
  const isPossible = bare.length > most || (bare.length >= least && (lengths & (1 << bare.length)) !== 0);
  return isPossible ? bare : digits;
}
