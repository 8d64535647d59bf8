import { describe, expect, test } from "bun:test";
import { ORIGINS, type Origin } from "#scan/detector";
import { isEnforced } from "#scan/policy";
import { Random } from "#test/eval/random";
import { verifies } from "#test/support/verifies";
import { FIELD_NAMES } from "./honest/field-names";
import { ID_FORMS } from "./honest/id-forms";
import { NOTES } from "./honest/notes";
import { actions, DEFAULT, scan } from "./samples";

const enforcedIn = (text: string, origin: Origin): string[] =>
  scan(text, origin)
    .findings.filter(({ action }) => isEnforced(action))
    .map(({ type, start, end }) => `${type} in ${text.slice(0, start)}[${text.slice(start, end)}]`);

/** Where programs' ids come from. */
const FROM: readonly Origin[] = ["tool_result", "user", "output", "tool_args"];

describe("ids of programs are not taken for a person's numbers", () => {
  test("there are names, lengths and forms enough to say so", () => {
    verifies("scan.ordinary-ids");
    expect(new Set(FIELD_NAMES).size).toBeGreaterThanOrEqual(200);
    expect(Object.keys(ID_FORMS).length).toBeGreaterThanOrEqual(30);
    expect(Object.keys(NOTES).length).toBeGreaterThanOrEqual(12);
  });

  // At most 0.1 % of each form, whatever the name; of 16 digits behind `pan` or `cc` a card's are a card's.
  test.each(Object.entries(ID_FORMS))(
    "drawn numbers of 6 to 19 digits under common field names: %s",
    (_, form) => {
      verifies("scan.ordinary-ids");
      const random = new Random(20_261_122);
      const wrong: string[] = [];
      let texts = 0;
      for (const name of FIELD_NAMES) {
        for (let length = 6; length <= 19; length++) {
          const id = String(random.between(1, 9)) + random.digits(length - 1);
          wrong.push(...enforcedIn(form(name, id), random.pick(FROM)));
          texts++;
        }
      }
      expect(texts).toBeGreaterThan(3_000);
      expect(wrong.length <= texts / 1000 ? [] : wrong.slice(0, 20)).toEqual([]);
    },
    20_000,
  );

  test.each(Object.entries(NOTES))(
    "orders, builds and invoices that people name: %s",
    (_, notes) => {
      verifies("scan.ordinary-ids");
      const random = new Random(20_261_124);
      const texts = notes.flatMap((note) =>
        Array.from({ length: 14 * 20 }, (_drawn, i) =>
          note.replaceAll("#", () => String(random.between(1, 9)) + random.digits(5 + (i % 14))),
        ),
      );
      expect(texts.flatMap((text) => enforcedIn(text, random.pick(FROM)))).toEqual([]);
      const flagged = texts.filter((text) => scan(text, "user").findings.length > 0);
      // Card-shaped numbers are noted: one drawn number of 15 and 16 digits in some twenty.
      expect(flagged.length <= texts.length / 100 ? [] : flagged.slice(0, 20)).toEqual([]);
    },
    20_000,
  );

  test.each([
    "CI build 1234567 passed",
    "setup-ci_20250110",
    "ci #4567890",
    "CI: 4567890",
    "cc 123456789",
    "CC 1234567",
    "nit 900123456",
    "NIT 90012345",
    "rg 12345678",
    "RG 123456789",
    "cui 1234567890123",
    "cin 12345678",
    "FIN 1234567",
    "run_id 289782451",
    "run: 123456785",
    '"workflow_run": {"id": 289782451',
    "uid=234123412346",
    "SIN 123456",
    "ein 123456789",
    "1234567 (CI)",
    "name,cc,city\nmain,12345678,Leeds",
    "build 20250110-1234",
    '{"row_id": "be473172db736aaf"}',
    "deployment ee19bace-a37d-5144-ef45-81e563023a1b",
  ])("%s, wherever it stands", (text) => {
    verifies("scan.ordinary-ids");
    const done = ORIGINS.flatMap((origin) => actions(text, origin, DEFAULT)).filter((it) => !it.endsWith(":flag"));
    expect(done).toEqual([]);
  });

  test("a word for any number announces a phone number only where it is written as one", () => {
    verifies("scan.ordinary-ids");
    for (const text of [
      "Die Vorgangsnummer lautet 123456789",
      "Nomor tiket 12345678901",
      "numéro de dossier 612345678",
    ])
      expect(actions(text)).toEqual([]);
    for (const text of ["Meine Nummer ist 030 9018200", "mi numero es 612 345 678", "Nomor saya 0812345678"])
      expect(actions(text)).toEqual(["pii.phone:flag"]);
  });

  test("behind such a word a number counts with right check digits and a document's form", () => {
    expect(actions("RUN 12.345.678-5")).toEqual(["pii.national_id.cl:redact"]);
    expect(actions("uid 2341 2341 2346")).toEqual(["pii.national_id.in:redact"]);
    expect(actions("CPF 39053344705")).toEqual(["pii.national_id.br:redact"]);
    expect(actions("BSN 123456782")).toEqual(["pii.national_id.nl:redact"]);
    expect(actions("nn 85073003328")).toEqual(["pii.national_id.be:redact"]);
    expect(actions("CC 12345678")).toEqual(["pii.national_id.co:flag"]);
  });
});
