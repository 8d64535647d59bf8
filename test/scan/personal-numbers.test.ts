import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { luhn } from "#core/checksums";
import { ean, mod11And2, mod11And10, verhoeff } from "#scan/check-digits";
import { DOCUMENTS } from "#scan/detectors/national/cues";
import { actions, found } from "./samples";

const SCHEMES = { luhn, verhoeff, ean, mod11And10, mod11And2 };
const body = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));

describe("check digits", () => {
  test.each(Object.entries(SCHEMES))("%s: each number has one, and any other digit anywhere is noticed", (_, check) => {
    fc.assert(
      fc.property(body(11), fc.nat(10), fc.integer({ min: 1, max: 9 }), (digits, place, by) => {
        const fitting = [..."0123456789X"].filter((last) => check(digits + last));
        expect(check === mod11And2 ? fitting : fitting.filter((last) => last !== "X")).toHaveLength(1);
        const changed = String((Number(digits.charAt(place)) + by) % 10);
        expect(check(digits.slice(0, place) + changed + digits.slice(place + 1) + fitting[0])).toBe(false);
      }),
    );
  });

  test("two neighbours that change places are noticed by Verhoeff's", () => {
    fc.assert(
      fc.property(body(11), fc.nat(9), (digits, at) => {
        const last = [..."0123456789"].find((digit) => verhoeff(digits + digit)) ?? "";
        const swapped = digits.slice(0, at) + digits.charAt(at + 1) + digits.charAt(at) + digits.slice(at + 2);
        expect(verhoeff(swapped + last)).toBe(swapped === digits);
      }),
    );
  });

  test("every country's check lets some numbers of its form pass, and most not", () => {
    const samples = new Map<number, string[]>();
    for (const { type, check, shape, lengths } of DOCUMENTS) {
      if (!check) continue;
      const length = lengths[0] ?? 9;
      const sample = samples.get(length) ?? fc.sample(body(length), { numRuns: 8000, seed: 7 });
      samples.set(length, sample);
      const digits = sample.filter((text) => shape.test(text));
      const passed = digits.filter(check).length;
      if (digits.length > 1000) expect(`${type} ${passed > 0 && passed < digits.length / 2}`).toBe(`${type} true`);
    }
  });

  test("numbers of at least thirty countries are known, most of them with check digits", () => {
    const countries = (all: typeof DOCUMENTS): number =>
      new Set(all.map(({ type }) => /^pii\.(?:national|tax)_id\.(\w\w)$/.exec(type)?.[1])).size;
    expect(countries(DOCUMENTS)).toBeGreaterThan(55);
    expect(countries(DOCUMENTS.filter(({ check }) => check))).toBeGreaterThan(40);
  });
});

describe("numbers behind the words that introduce them", () => {
  test.each([
    ["pii.tax_id.de", "86095742719", "My Steuer-ID is 86095742719, thanks"],
    ["pii.tax_id.de", "86 095 742 719", "German tax id: 86 095 742 719"],
    ["pii.national_id.es", "X-5253868-R", '{"nie": "X-5253868-R"}'],
    ["pii.national_id.hr", "HR 33392005961", "OIB: HR 33392005961"],
    ["pii.national_id.br", "390.533.447-05", "| CPF | 390.533.447-05 |"],
    ["pii.national_id.in", "2341 2341 2346", "Aadhaar no. 2341 2341 2346"],
    ["pii.national_id.fi", "131052-308T", "henkilötunnus 131052-308T"],
    ["pii.tax_id.ru", "366220664163", "ИНН: 366220664163"],
    ["pii.national_id.cn", "120103198806018241", "身份证 120103198806018241"],
    ["pii.national_id.ca", "123-456-782", "social insurance number 123-456-782"],
    ["pii.passport", "C01X00T47", "passport_number=C01X00T47"],
    ["pii.driver_license", "A56319335", "My driver's license number is A56319335"],
    ["pii.health_id.npi", "1234567893", "NPI 1234567893"],
    ["pii.date_of_birth", "3/23/1940", "date of birth. It's 3/23/1940"],
    ["pii.swift", "COBADEFFXXX", "SWIFT/BIC: COBADEFFXXX"],
    ["pii.mac_address", "3c:22:fb:81:0d:5e", "at 3c:22:fb:81:0d:5e now"],
    ["pii.name", "Ada van Dyck", "Hello, my name is Ada van Dyck."],
    ["pii.address", "12 High Street, Leeds", "she lives at 12 High Street, Leeds."],
    ["pii.ip", "4f8a:c99e:dc86:faf9:5988:5f63:375e:8a2a", "address 4f8a:c99e:dc86:faf9:5988:5f63:375e:8a2a blocked"],
    ["pii.ip", "10.1.2.3", "from ip address 10.1.2.3"],
    ["pii.bank_account.us", "021000021", "routing number 021000021"],
  ])("%s %s", (type, value, text) => {
    expect(found(text)).toEqual([`${type}=${value}`]);
  });

  test("digits that do not fit are noted, not replaced; without the words they are nothing", () => {
    expect(actions("Aadhaar 2341 2341 2347")).toEqual(["pii.national_id.in:flag"]);
    expect(actions("Aadhaar 2341 2341 2346")).toEqual(["pii.national_id.in:redact"]);
    expect(found("Lot 2341 2341 2346 was recalled, build 86095742719, order id number 86095742719")).toEqual([]);
  });
});
