import { expect, test } from "bun:test";
import fc from "fast-check";
import { Folder, fold, MAX_REMOVED } from "#scan/fold/normalize";

const PARTS = [
  "a",
  "Z",
  "7",
  " ",
  "é",
  "e\u0301",
  "ﬁ",
  "ﷺ",
  "ｇ",
  "𝐢",
  "٤",
  "𝟜",
  "ѕ",
  "Ω",
  "\u200b",
  "\u00ad",
  "\u{e0041}",
  "\ufe0f",
  "😀",
  "日",
  "한",
  "हि",
  "ß",
  "\ud800",
  "\udc00",
  "½",
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }).map((parts) => parts.join(""));

test.each([
  ["АКІА ignоrе", "AKIA ignore"],
  ["ｉｇｎｏｒｅ 𝐢𝐠𝐧𝐨𝐫𝐞", "ignore ignore"],
  ["٤١١١ ६ 𝟜", "4111 6 4"],
  ["ﬁle é e\u0301 ü", "file e e u"],
  ["ig\u200bno\u{e0041}re \u00adx", "ignore x"],
  ["a–b “x” it’s", 'a-b "x" it\'s'],
  ["한국 日本", "한국 日本"],
])("%s folds to %s", (text, folded) => {
  expect(fold(text).text).toBe(folded);
});

test("ASCII is not copied, and maps to itself", () => {
  const { text, map } = fold("plain text");
  expect(text).toBe("plain text");
  expect([map.start(3), map.end(3)]).toEqual([3, 4]);
});

test("every folded unit comes from a span of the original, in order", () => {
  fc.assert(
    fc.property(texts, (original) => {
      const { text, map } = fold(original);
      let last = 0;
      for (let i = 0; i < text.length; i++) {
        expect(map.start(i)).toBeGreaterThanOrEqual(last);
        expect(map.end(i)).toBeGreaterThan(map.start(i));
        expect(map.end(i)).toBeLessThanOrEqual(original.length);
        expect(fold(original.slice(map.start(i), map.end(i))).text).toContain(text.charAt(i));
        last = map.start(i);
      }
    }),
    { numRuns: 500 },
  );
});

test("a text folds the same wherever it is cut between code points", () => {
  fc.assert(
    fc.property(texts, fc.nat(), (original, seed) => {
      const points = Array.from(original);
      const cut = points.length === 0 ? 0 : seed % points.length;
      const folder = new Folder();
      const parts = folder.fold(points.slice(0, cut).join("")) + folder.fold(points.slice(cut).join(""));
      const whole = fold(original);
      // A cut between a lone high and a lone low surrogate would make a pair: streams never cut there.
      fc.pre(!/[\ud800-\udbff]$/.test(points.slice(0, cut).join("")));
      expect(parts).toBe(whole.text);
      for (let i = 0; i < parts.length; i++) expect(folder.map.start(i)).toBe(whole.map.start(i));
    }),
    { numRuns: 500 },
  );
});

test("invisible text without end does not fold to nothing", () => {
  expect(fold("\u200b".repeat(MAX_REMOVED - 1)).text).toBe("");
  expect(fold("\u200b".repeat(MAX_REMOVED * 2)).text).toHaveLength(2);
  expect(fold(`${"\u200b".repeat(MAX_REMOVED - 1)}a`.repeat(3)).text).toBe("aaa");
});

test("a code point folds to the same whether it comes first, again, or among others", () => {
  const alone = (char: string): string => new Folder().fold(char);
  const some = fc.array(fc.oneof(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom(...PARTS)));
  fc.assert(
    fc.property(some, (parts) => {
      const points = Array.from(parts.join("a"));
      const apart = points.map(alone).join("");
      // Invisible ones in a row are told apart by the fold of the whole only.
      fc.pre(points.filter((point) => alone(point) === "").length < MAX_REMOVED);
      expect(fold(points.join("")).text).toBe(apart);
      expect(points.map(alone).join("")).toBe(apart);
    }),
  );
});
