import { describe, expect, test } from "bun:test";
import { ibanRemainder, luhn } from "#core/checksums";
import { REDACTING } from "./policies";
import { actions, chars, found, PERSONAL } from "./samples";

/** What the baseline replaces; other personal data it notes. */
const IDENTIFYING = new Set(["pii.credit_card", "pii.iban", "pii.us_ssn"]);

describe("personal data is found, whole and no further", () => {
  test.each([
    ["pii.email", PERSONAL.email],
    ["pii.email", "o'neil@acme.io".slice(2)],
    ["pii.email", "x_1@sub.dept.example.co.uk"],
    ["pii.credit_card", PERSONAL.card],
    ["pii.credit_card", "3712-345678-95004"],
    ["pii.credit_card", "6011.4672.3908.1545"],
    ["pii.iban", PERSONAL.iban],
    ["pii.iban", "GB82WEST12345698765432"],
    ["pii.iban", "fr14 2004 1010 0505 0001 3m02 606"],
    ["pii.us_ssn", PERSONAL.ssn],
    ["pii.phone", PERSONAL.phone],
    ["pii.phone", PERSONAL.phoneUs],
    ["pii.phone", "+1-202-456-1111"],
    ["pii.phone", "+33 (0)1 42 68 53 00"],
    ["pii.phone", "202-456-1111"],
    ["pii.ip", PERSONAL.ip],
    ["pii.ip", "2606:4700:4700::1111"],
    ["pii.ip", "2a00:1450:4001:82f:0:0:0:200e"],
  ])("%s %s", (type, value) => {
    expect(found(`It is ${value}, yes.`)).toEqual([`${type}=${value}`]);
    expect(found(value)).toEqual([`${type}=${value}`]);
    expect(found(`(${value}) 12`)).toEqual([`${type}=${value}`]);
    expect(actions(`at ${value} `, "user", REDACTING)).toEqual([`${type}:${type === "pii.ip" ? "flag" : "redact"}`]);
    expect(actions(`at ${value} `)).toEqual([`${type}:${IDENTIFYING.has(type) ? "redact" : "flag"}`]);
  });

  test.each([
    ["pii.us_ssn=512447310", "SSN: 512447310"],
    ["pii.us_ssn=512 44 7310", "social security number 512 44 7310"],
    ["pii.phone=020 7946 0958", "phone: 020 7946 0958"],
    ["pii.phone=2024561111", "call me on 2024561111."],
    ["pii.credit_card=5399261704835269", "card 5399261704835269 12/29"],
    ["pii.credit_card=4539 1488 0343 6467", "card 4539 1488 0343 6467 12/29"],
    ["pii.iban=DE89370400440532013000", "DE89370400440532013000 to COBADEFF"],
  ])("%s behind a cue", (expected, text) => {
    expect(found(text)).toEqual([expected]);
  });
});

describe("look-alikes are left alone", () => {
  test.each([
    ["not an address", "icon@2x.png @handle pkg@1.2.3 a@b user@host git@github.com:org/repo.git @app.route"],
    ["the Luhn sum is wrong", "4111 1111 1111 1112, 5555555555554445"],
    ["no issuer has the range", "9999999999999995 1111111111111117"],
    ["a part of a longer number", `id 41111111111111111234567 0.4111111111111111 a4111111111111111`],
    ["the IBAN's sum is wrong", "DE88 3704 0044 0532 0130 00, XX89370400440532013000"],
    ["ranges that were never given out", "000-12-3456 666-12-3456 912-12-3456 512-00-1234 512-12-0000"],
    ["a nine-digit number without a cue", "order 512447310 shipped"],
    ["dates and times", "2024-05-01 12:30:45, 01.02.2024, 2024-05-01T10:00:00Z, 1714557600, 1714557600123"],
    ["ids", "ISBN 978-3-16-148410-0, build 20240501.12345, order #1234567890, 550e8400-e29b-41d4-a716-446655440000"],
    ["coordinates and sums", "52.520008, 13.404954; 1,234,567.89; 3.14159265358979"],
    [
      "private and documentation addresses",
      "127.0.0.1 10.1.2.3 192.168.1.1 172.20.0.1 203.0.113.9 2001:db8::1 fe80::1 ::1",
    ],
    ["versions", "version 1.2.3.4, v81.2.69.142, 1.2.3.4.5, 300.1.1.1, 12:34:56"],
  ])("%s", (_name, text) => {
    expect(found(text)).toEqual([]);
  });
});

test("an address whose mail nobody reads tells of no person", () => {
  for (const local of ["noreply", "no-reply", "No_Reply", "donotreply", "do-not-reply"]) {
    expect(actions(`Co-Authored-By: Claude <${local}@anthropic.com>`)).toEqual([]);
    expect(actions(`Co-Authored-By: Claude <${local}@anthropic.com>`, "tool_definition")).toEqual([]);
  }
  for (const address of ["4711+jane@users.noreply.github.com", "noreply.jane@acme.io", "jane.noreply@acme.io"]) {
    expect(actions(`Signed-off-by: <${address}>`)).toEqual(["pii.email:flag"]);
  }
});

test("an advertised social security number is only flagged", () => {
  expect(actions("078-05-1120")).toEqual(["pii.us_ssn:flag"]);
  expect(actions("078-05-1120", "user", REDACTING)).toEqual(["pii.us_ssn:flag"]);
});

test("numbers in other scripts' digits are found", () => {
  const arabic = Array.from("5555555555554444", (d) => String.fromCharCode(0x660 + Number(d))).join("");
  expect(found(`رقم ${arabic}`)).toEqual([`pii.credit_card=${arabic}`]);
});

test("checksums", () => {
  expect(luhn("79927398713")).toBe(true);
  expect(luhn("79927398714")).toBe(false);
  expect(ibanRemainder("GB82WEST12345698765432")).toBe(1);
  expect(ibanRemainder(`GB82WEST${chars(14, "0123456789")}`)).not.toBe(1);
});
