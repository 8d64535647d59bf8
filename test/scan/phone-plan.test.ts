/** The numbering plans are libphonenumber's; what they say is read by code of our own, and must be what the library says. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import { isValidAbroad, isValidAtHome } from "#scan/detectors/phone-plan";

const COUNTRIES = getCountries();
const CALLING_CODES = [
  ...new Set(COUNTRIES.map((one) => getCountryCallingCode(one))),
  "800",
  "808",
  "870",
  "881",
  "883",
  "979",
];

const byLibrary = (text: string, country?: CountryCode): boolean =>
  parsePhoneNumberFromString(text, { ...(country && { defaultCountry: country }), extract: false })?.isValid() ?? false;

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });
const country = fc.constantFrom(...COUNTRIES);
const example = country.map((one) => ({ country: one, national: examples[one] ?? "" }));
/** Valid numbers of all countries, and such with a digit changed, added or left out. */
const nearlyValid = fc
  .tuple(example, fc.nat({ max: 12 }), digits(0, 2), fc.nat({ max: 1 }))
  .map(([{ country: one, national }, at, put, dropped]) => ({
    country: one,
    national: national.slice(0, at) + put + national.slice(at + dropped),
  }));
const PREFIXES = ["", "0", "00", "011", "1", "8", "06", "01", "0011", "010", "17700", "180020", "0014"];

test("a number from abroad is valid where the library says so", () => {
  const some = fc.oneof(
    digits(5, 15),
    fc.tuple(fc.constantFrom(...CALLING_CODES), digits(3, 13)).map(([code, rest]) => code + rest),
    nearlyValid.map(({ country: one, national }) => getCountryCallingCode(one) + national),
    fc
      .tuple(nearlyValid, fc.constantFrom(...PREFIXES))
      .map(([{ country: one, national }, prefix]) => getCountryCallingCode(one) + prefix + national),
  );
  fc.assert(
    fc.property(some, (number) => {
      fc.pre(number.length >= 3);
      expect([number, isValidAbroad(number)]).toEqual([number, byLibrary(`+${number}`)]);
    }),
    { numRuns: 20_000 },
  );
});

test("a number at home is valid where the library says so", () => {
  const some = fc.oneof(
    fc.tuple(country, digits(5, 17)),
    fc
      .tuple(nearlyValid, fc.constantFrom(...PREFIXES))
      .map(([{ country: one, national }, prefix]) => [one, prefix + national] as const),
    nearlyValid.map(({ country: one, national }) => [one, getCountryCallingCode(one) + national] as const),
    fc
      .tuple(country, nearlyValid, fc.constantFrom("00", "011", "0011", "010", ""))
      .map(
        ([here, { country: one, national }, dialled]) =>
          [here, dialled + getCountryCallingCode(one) + national] as const,
      ),
  );
  fc.assert(
    fc.property(some, ([one, number]) => {
      fc.pre(number.length >= 3);
      expect([one, number, isValidAtHome(number, one)]).toEqual([one, number, byLibrary(number, one)]);
    }),
    { numRuns: 20_000 },
  );
});

test("the example of each country's mobile numbers is valid at home and from abroad", () => {
  for (const one of COUNTRIES) {
    const national = examples[one] ?? "";
    expect([one, isValidAbroad(getCountryCallingCode(one) + national)]).toEqual([one, true]);
    expect([one, isValidAtHome(national, one)]).toEqual([one, byLibrary(national, one)]);
  }
});
