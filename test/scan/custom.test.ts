import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CustomRule, customDetectors } from "#scan/custom";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { expectLinear } from "#test/support/cost";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";

const EMPLOYEE: CustomRule = { id: "employee", pattern: "emp-[0-9]{6}\\b", keywords: ["EMP-"] };
const PROJECT: CustomRule = { id: "project", words: ["Project Falcon", "falcon-9"] };

const policyWith = (custom: readonly CustomRule[], action: "block" | "redact" = "redact") =>
  compilePolicy(
    {
      ...DEFAULT_POLICY,
      custom,
      rules: [...DEFAULT_POLICY.rules, { type: "custom", thresholds: { flag: 0.3, [action]: 0.5 } }],
    },
    1,
    DETECTORS,
  );

const found = (custom: readonly CustomRule[], text: string) =>
  scanText(policyWith(custom), text, "user")
    .findings.filter(({ category }) => category === "custom")
    .map(({ type, start, end }) => [type, text.slice(start, end)]);

describe("rules of an operator's own", () => {
  test("words are found whole, in any case and however they are dressed up", () => {
    verifies("scan.custom");
    expect(found([PROJECT], "About PROJECT FALCON and Project\u200b Falcon.")).toEqual([
      ["custom.project", "PROJECT FALCON"],
      ["custom.project", "Project\u200b Falcon"],
    ]);
    expect(found([PROJECT], "Project Falcons, aProject Falcon, falcon-91")).toEqual([]);
  });

  test("a pattern is tried where its keyword stands", () => {
    verifies("scan.custom");
    expect(found([EMPLOYEE], "Emp-123456 and emp-12345, EMP-6543210, semp-123456")).toEqual([
      ["custom.employee", "Emp-123456"],
    ]);
  });

  test("a stream finds what the whole text has, however it is cut", () => {
    verifies("scan.custom");
    const policy = policyWith([EMPLOYEE, PROJECT]);
    const text = "Ask emp-123456 about project falcon, emp-99 not; falcon-9 too.";
    const redactedIn = (cuts: readonly number[]): string => {
      const scanner = new StreamScanner(policy, "output", LABELS);
      let out = "";
      let from = 0;
      for (const cut of [...cuts, text.length]) {
        scanner.push(text.slice(from, cut));
        out += scanner.release(scanner.clearedTo).text;
        from = cut;
      }
      scanner.end();
      return out + scanner.release(scanner.clearedTo).text;
    };
    const whole = redactedIn([]);
    expect(numbered(whole)).toContain("[custom.employee:1]");
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 })), (cuts) => {
        expect(redactedIn(cuts.toSorted((one, other) => one - other))).toBe(whole);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, CustomRule]>([
    ["an id is", { id: "Not One", words: ["abc"] }],
    ["words, or a pattern", { id: "a" }],
    ["words, or a pattern", { id: "a", words: ["abc"], pattern: "abc" }],
    ["keywords must name", { id: "a", pattern: "abc" }],
    ["3 to 64 visible", { id: "a", words: ["ab"] }],
    ["score", { id: "a", words: ["abc"], score: 2 }],
    ["invalid", { id: "a", pattern: "abc(?=d)", keywords: ["abc"] }],
    ["too large", { id: "a", pattern: "abc(x{200}y{200}){2}", keywords: ["abc"] }],
  ])("what cannot be kept is refused: %s", (message, rule) => {
    expect(() => customDetectors([rule])).toThrow(message);
  });

  test("a pattern made to explode costs what any other does", () => {
    verifies("scan.custom");
    const policy = policyWith([{ id: "evil", pattern: "aaa(a*)*(a*)*b", keywords: ["aaa"] }]);
    // What explodes does so at once and every time.
    expectLinear("a", (text) => scanText(policy, text, "user"), { short: 5_000, long: 20_000, noiseMs: 200 });
  });
});
