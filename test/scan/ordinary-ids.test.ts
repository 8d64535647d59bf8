import { describe, expect, test } from "bun:test";
import { ORIGINS } from "#scan/detector";
import { isEnforced } from "#scan/policy";
import { Random } from "#test/eval/random";
import { verifies } from "#test/support/verifies";
import { FIELD_NAMES } from "./honest/field-names";
import { actions, DEFAULT, scan } from "./samples";

/** How a field and its number stand in what tools and logs say. */
const FORMS: readonly ((name: string, id: string) => string)[] = [
  (name, id) => `{"${name}": ${id}, "ok": true}`,
  (name, id) => `{"${name}":"${id}"}`,
  (name, id) => `${name}=${id}`,
  (name, id) => `${name}: ${id}\nstate: done`,
  (name, id) => `${name} ${id} is done`,
  (name, id) => `${name.toUpperCase()} ${id}`,
  (name, id) => `${name} #${id}`,
  (name, id) => `/${name}/${id}/raw`,
  (name, id) => `"${name}": {"id": ${id}, "name": "main"}`,
  (name, id) => `name,${name},state\nmain,${id},done`,
];

const enforcedIn = (text: string, origin: "tool_result" | "user" = "tool_result"): string[] =>
  scan(text, origin)
    .findings.filter(({ action }) => isEnforced(action))
    .map(({ type, start, end }) => `${type} in ${text.slice(0, start)}[${text.slice(start, end)}]`);

describe("ids of programs are not taken for a person's numbers", () => {
  test("drawn numbers of 6 to 19 digits, under common field names", () => {
    verifies("scan.ordinary-ids");
    const random = new Random(20_261_122);
    const wrong: string[] = [];
    let texts = 0;
    expect(FIELD_NAMES.length).toBeGreaterThanOrEqual(200);
    for (const name of FIELD_NAMES) {
      for (let length = 6; length <= 19; length++) {
        for (let i = 0; i < 8; i++) {
          const id = String(random.between(1, 9)) + random.digits(length - 1);
          wrong.push(...enforcedIn(random.pick(FORMS)(name, id)));
          texts++;
        }
      }
    }
    // At most 0.1 %, and enough texts to say so.
    expect(texts).toBeGreaterThan(20_000);
    expect(wrong.length <= texts / 1000 ? [] : wrong.slice(0, 40)).toEqual([]);
  }, 60_000);

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
  ])("%s, wherever it stands", (text) => {
    verifies("scan.ordinary-ids");
    const done = ORIGINS.flatMap((origin) => actions(text, origin, DEFAULT)).filter((it) => !it.endsWith(":flag"));
    expect(done).toEqual([]);
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
