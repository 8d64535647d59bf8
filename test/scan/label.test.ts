import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hashesUnder } from "#platform/hash";
import { ORIGINS } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { labelsBy } from "#scan/label";
import { typesAt } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { REDACTING } from "./policies";
import { PERSONAL, SECRETS, uniform } from "./samples";

/** More than any detector looks at around a value. */
const APART = "\nWords that say nothing.".repeat(30);

describe("the label of a value", () => {
  test("names its type and six letters and digits that are not taken for each other", () => {
    verifies("scan.labels");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (value) => {
        expect(LABELS("pii.email", value)).toMatch(/^\[pii\.email:(?:[a-hjkmnp-tv-z]{2}[0-9a-hjkmnp-tv-z]){2}\]$/);
      }),
    );
  });

  test.each([
    ["a card in groups", "pii.credit_card", "4539 1488 0343 6467", "4539148803436467"],
    ["a card in full-width digits", "pii.credit_card", "４５３９１４８８０３４３６４６７", "4539-1488-0343-6467"],
    ["an account number", "pii.iban", "DE89 3704 0044 0532 0130 00", "de89370400440532013000"],
    ["a phone number", "pii.phone", "+49 (170) 123-45.67", "491701234567"],
    ["a number of a person, of any country", "pii.national_id.es", "x-1234567-l", "X1234567L"],
    ["an address", "pii.email", "Jane.Doe@Example.com", "jane.doe@example.com"],
    ["an address with invisible characters", "pii.email", "jane\u200b@example.com", "jane@example.com"],
    ["a word of the operator's", "custom.project", "Falcon", "falcon"],
  ])("is the same however it is written: %s", (_name, type, one, other) => {
    verifies("scan.labels");
    expect(LABELS(type, one)).toBe(LABELS(type, other));
  });

  test.each([
    ["letters of another case in a secret", "secret.generic", "aB3dE6gH9", "ab3de6gh9"],
    ["letters of another case in an address with a check sum", "pii.crypto_address", "1BoatSLR", "1boatslr"],
    ["dots in an address", "pii.ip", "1.12.0.1", "11.2.0.1"],
    ["blanks in what is no number", "pii.date_of_birth", "1.12.1990", "11.2.1990"],
  ])("is another one for another value: %s", (_name, type, one, other) => {
    expect(LABELS(type, one)).not.toBe(LABELS(type, other));
  });

  test("says nothing of one type to those who know it for another", () => {
    const code = (label: string) => label.slice(label.indexOf(":"));
    expect(code(LABELS("pii.iban", "1"))).not.toBe(code(LABELS("pii.phone", "1")));
  });

  test("depends on the key", () => {
    verifies("scan.labels");
    const others = labelsBy(hashesUnder(new Uint8Array(32).fill(1)));
    expect(others("pii.email", PERSONAL.email)).not.toBe(LABELS("pii.email", PERSONAL.email));
  });

  test("is the same wherever the value stands", () => {
    verifies("scan.labels");
    const values = Object.values({ ...SECRETS, ...PERSONAL });
    const policy = uniform("redact");
    const labelsIn = (text: string): string[] =>
      redactText(text, scanText(policy, text, "output").findings, LABELS).match(/\[[a-z][\w.]*:\w+\]/g) ?? [];
    fc.assert(
      fc.property(fc.shuffledSubarray(values, { minLength: 1, maxLength: 5 }), (some) => {
        const together = labelsIn(some.map((value) => `It is ${value} so. `).join(APART));
        expect(together).toEqual(some.flatMap((value) => labelsIn(`It is ${value} so. `)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("labels in a text", () => {
  const types = [...new Set(DETECTORS.flatMap((detector) => ORIGINS.flatMap((origin) => typesAt(detector, origin))))];
  const label = fc.tuple(fc.constantFrom(...types), fc.string()).map(([type, value]) => LABELS(type, value));
  const around = fc.constantFrom<readonly [before: string, after: string]>(
    ["", ""],
    ["It is ", "."],
    ['{"token":"', '"}'],
    ["password=", ""],
    ["api_key = '", "'"],
    ["Authorization: Bearer ", "\n"],
    ["curl -u user:", " https://x.example"],
    ["passport number ", " was given"],
    ["My tax id: ", ""],
    ["account no. ", ", VAT"],
    ["phone ", " or "],
    ["postgres://user:", "@db.example/x"],
    ["date of birth ", ""],
    ["", "@example.com"],
    ["[link](", ")"],
  );

  test("are taken for nothing by any detector", () => {
    verifies("scan.labels");
    const policy = uniform("redact");
    fc.assert(
      fc.property(label, around, fc.constantFrom(...ORIGINS), (written, [before, after], origin) => {
        const text = before + written + after;
        const touching = scanText(policy, text, origin).findings.filter(
          ({ start, end }) => start < before.length + written.length && end > before.length,
        );
        expect(touching).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  test("of older hubs pass too", () => {
    const text = "Card [pii.credit_card:1], key [secret.aws_access_key:12], password: [secret.generic:3]";
    expect(scanText(REDACTING, text, "output").findings).toEqual([]);
  });
});
