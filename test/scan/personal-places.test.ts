import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS } from "#test/support/labels";
import { actions, found, uniform } from "./samples";

const REDACT = uniform("redact");

describe("a number whose word stands elsewhere", () => {
  test.each([
    ["pii.us_ssn=512447310", "512447310 is my SSN"],
    ["pii.us_ssn=512447310", "I gave 512447310 (social security) to them"],
    ["pii.passport=A1234567", "A1234567 is my passport number, ok?"],
    ["pii.passport=A1234567", "A1234567 was her US passport"],
    ["pii.tax_id.de=86095742719", "it was 86095742719 (Steuer-ID)"],
    ["pii.us_ssn=512447310", "<ssn>512447310</ssn>"],
    ["pii.passport=C01234567", "<passportNumber>C01234567</passportNumber>"],
    ["pii.driver_license=D1234567", "Driver's license\nD1234567"],
    ["pii.national_id.ch=756.9217.0769.85", "A.H.V. Nr. 756.9217.0769.85"],
  ])("%s in %j", (expected, text) => {
    expect(found(text)).toEqual([expected]);
  });

  test("each row of a table has what its first line says", () => {
    const rows = Array.from({ length: 9 }, (_, i) => `Mia Example,51244731${i},C0123456${i},Oslo`);
    const passports = found(`name,ssn,passport_number,city\n${rows.join("\n")}`);
    for (let i = 0; i < 9; i++) {
      expect(passports).toContain(`pii.us_ssn=51244731${i}`);
      expect(passports).toContain(`pii.passport=C0123456${i}`);
    }
    const table = `| Nome do titular | CPF | Cidade |\n|---|---|---|\n| Ana Exemplo da Silva Pereira e Souza | 39053344705 | x |`;
    expect(found(table)).toContain("pii.national_id.br=39053344705");
    expect(found(`name,amount\n${rows.map((row) => row.replaceAll(/[C,]/g, " ")).join("\n")}`)).toEqual([]);
  });
});

describe("a number that needs no word", () => {
  test.each([
    ["pii.national_id.it=RSSMRA85T10A562S", "vedi RSSMRA85T10A562S qui"],
    ["pii.national_id.br=390.533.447-05", "é 390.533.447-05."],
    ["pii.tax_id.br=16.727.230/0001-97", "(16.727.230/0001-97)"],
    ["pii.national_id.cn=120103198806018241", "seen 120103198806018241 there"],
    ["pii.national_id.ch=756.9217.0769.85", "756.9217.0769.85"],
    ["pii.national_id.fi=131052-308T", "hän on 131052-308T"],
    ["pii.health_id.mbi=1EG4-TE5-MK73", "1EG4-TE5-MK73"],
    ["pii.national_id.gb=AB 12 34 56 C", "it is AB 12 34 56 C."],
  ])("%s", (expected, text) => {
    expect(found(text)).toEqual([expected]);
  });

  test("a form that others share is only noted, and nothing where its digits do not fit", () => {
    expect(actions("see 12345678Z")).toEqual(["pii.national_id.es:flag"]);
    expect(found("see 12345678A, 390.533.447-06, 120103198806018242, 756.9217.0769.86, RSSMRA85T10A562T")).toEqual([]);
    expect(found("x12345678Z 12345678Zx 1-12345678Z 12345678Z-1 20240501T 1.390.533.447-05")).toEqual([]);
  });
});

describe("more ways to write", () => {
  test.each([
    ["pii.email=jane.doe (at) acme (dot) org", "write jane.doe (at) acme (dot) org"],
    ["pii.email=user@例え.jp", "an user@例え.jp"],
    ["pii.email=müller@bücher.de", "an müller@bücher.de"],
    ["pii.ip=81.2.69.142", "http://81.2.69.142:8080/x"],
    ["pii.ip=fd12:3456:789a:1::1", "source_ip=fd12:3456:789a:1::1"],
    ["pii.phone=(311)905-4466 x8827", "at (311)905-4466 x8827 now"],
    ["pii.phone=+1-743-438-6774x62406", "at +1-743-438-6774x62406,"],
    ["pii.phone=0269 60 12 34", "Call me at 0269 60 12 34 tomorrow."],
    ["pii.phone=(8 12) 34-56-78", '"phone": "(8 12) 34-56-78"'],
    ["pii.phone=13812345678", "我的手机是13812345678"],
    ["pii.credit_card=4567-8901-2345-6789", "my credit card number is 4567-8901-2345-6789."],
    ["pii.date_of_birth=1985年3月12日", "生年月日: 1985年3月12日"],
    ["pii.date_of_birth=12 mars 1985", "née le 12 mars 1985 à Lyon"],
    ["pii.company_id.fr=552 008 443", "SIREN : 552 008 443"],
    ["pii.company_id.de=136695976", "USt-IdNr. 136695976"],
  ])("%s", (expected, text) => {
    expect(found(text)).toEqual([expected]);
  });

  test.each([
    'contentVersion: "1.0.0.0", pandas>=1.1.0.11, firmware is 8.8.4.4, host: "0.0.0.0"',
    "aa:bb:cc:dd:ee:ff:00:11 12:34:56:78:9a:bc:de:f0",
    "meet(at)noon, array[at] index, <at>",
    "EAN 4009213443648, 5005273381255, serial 507638711004411",
    "ids 0062278712778 and 002697296707",
  ])("%j is none of them", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test("however the text is cut, the findings are those of the whole", () => {
  const parts = fc.constantFrom(
    "512447310 is my SSN ",
    "A1234567 is my ",
    "passport number",
    "12345678Z",
    "name,ssn,city\nAda,512447310,Rome\nBob,512447311,Oslo\n",
    "AB 12 34 56 C",
    "1 85 05 78 006 084 36",
    "131052-",
    "308T ",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "jane (at) acme (dot) org",
    "joe[at]",
    "(311)905-4466 x88",
    "27 ",
    "(",
    " ",
    "is my ",
    "RUT",
    "7",
    "X",
    ",",
    "\n",
  );
  const texts = fc.array(parts, { maxLength: 10 }).map((all) => all.join(""));
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 9 }), (text, sizes) => {
      const scanner = new StreamScanner(REDACT, "output", LABELS);
      let out = "";
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        scanner.push(text.slice(at, at + size));
        at += size;
        out += scanner.release(scanner.clearedTo).text;
      }
      scanner.end();
      out += scanner.release(scanner.clearedTo).text;
      const { findings } = scanText(REDACT, text, "output");
      expect(scanner.findings).toEqual(findings);
      expect(out).toBe(redactText(text, findings, LABELS));
    }),
    { numRuns: 400 },
  );
});
