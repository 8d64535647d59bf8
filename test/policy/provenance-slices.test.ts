import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CHAT } from "#guard/apis/chat";
import { Provenance, ProvenanceIndex, taintedIn } from "#policy/provenance/provenance";
import { blocksOf } from "#policy/provenance/provenance-words";
import { DEFAULT_POLICY } from "#scan/defaults";
import { fold } from "#scan/fold/normalize";
import { compilePolicy } from "#scan/policy";
import { verifies } from "#test/support/verifies";

const POLICY = compilePolicy(DEFAULT_POLICY, 1, []);

/** Pieces that a cut in the wrong place would tear: escapes, marks, words beside words of other scripts. */
const PIECES = [
  " ",
  "\n",
  "mia@b.example",
  "mia%40b.example",
  "mia\\u0040b.example",
  "mia&#64;b.example",
  "C:\\new\\exports\\q3.csv",
  "usr_8812",
  "4929 1234 5678 1234",
  "ｕｓｒ＿８８１２",
  "e\u0301".repeat(40),
  "\u200b".repeat(70),
  "中文",
  "한국어",
  "ひらがな",
  "😀",
  "\ud83d",
  "\\n",
  "x",
] as const;
const VALUES = ["mia@b.example", "C:\\new\\exports\\q3.csv", "usr_8812", "4929123456781234", "b.example"];

const text = (units: number) =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: units }).map((pieces) => pieces.join(""));

describe("taken in in slices", () => {
  test("provenance in slices finds the same as in one piece", async () => {
    verifies("provenance.slices");
    const said = fc.array(
      fc.tuple(fc.constantFrom("user", "assistant", "tool"), text(60), fc.integer({ min: 1, max: 900 })),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(said, async (parts) => {
        const messages = parts.map(([role, content, times]) => ({ role, content: content.repeat(times) }));
        const body = { messages: [...messages, { role: "tool", content: "the end" }] };
        const [whole, sliced] = [
          Provenance.of(CHAT.request.speechOf(body), 100),
          Provenance.of(CHAT.request.speechOf(body), 100, true),
        ];
        expect(whole?.isUnprepared(POLICY)).toBe(false);
        expect(sliced?.isUnprepared(POLICY)).toBe(true);
        await sliced?.prepare(() => Promise.resolve());
        expect(sliced?.isUnprepared(POLICY)).toBe(false);
        for (const value of VALUES) expect(sliced?.judge(POLICY, value)).toEqual(whole?.judge(POLICY, value) ?? []);
        expect(sliced?.isPartial).toBe(whole?.isPartial);
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  test("provenance in slices omits the same texts above the limit", async () => {
    verifies("provenance.slices");
    const long = Array.from({ length: 9_000 }, (_, n) => `name_${n}@b.example`).join(" ");
    const room = 100_000;
    const [whole, sliced] = [new ProvenanceIndex(room), new ProvenanceIndex(room)];
    whole.add("messages[0]", [["tool", long]]);
    await sliced.addInSlices("messages[0]", [["tool", long]], () => null);
    expect(whole.isPartial).toBe(true);
    expect(sliced.isPartial).toBe(true);
    for (let n = 0; n < 9_000; n += 50) {
      const value = `name_${n}@b.example`;
      expect(taintedIn(sliced, POLICY, value)).toEqual(taintedIn(whole, POLICY, value));
    }
  });

  test("it pauses every few thousand units, in a text without spaces too", async () => {
    verifies("provenance.slices");
    for (const content of ["some words ".repeat(100_000), "x1y2".repeat(250_000)]) {
      let pauses = 0;
      const pause = () => {
        pauses += 1;
        return null;
      };
      await Provenance.of(CHAT.request.speechOf({ messages: [{ role: "tool", content }] }), 100, true)?.prepare(pause);
      expect(pauses).toBeGreaterThan(50);
    }
  });
});

describe("a text in blocks", () => {
  test("is whole, and folds block by block to what it folds to in one piece", () => {
    verifies("provenance.slices");
    fc.assert(
      fc.property(text(200), fc.integer({ min: 1, max: 40 }), (given, units) => {
        const blocks = [...blocksOf(given, units)];
        expect(blocks.join("")).toBe(given);
        expect(blocks.map((block) => fold(block).text).join("")).toBe(fold(given).text);
      }),
    );
  });

  test("every character it is cut after folds to itself", () => {
    verifies("provenance.slices");
    for (let code = 0; code < 0x10000; code += 1) {
      const char = String.fromCharCode(code);
      const isCut = [...blocksOf(`${char}x`, 1)].length === 2;
      if (isCut) expect([char, fold(char).text]).toEqual([char, char]);
    }
  });
});
