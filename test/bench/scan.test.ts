import { expect, test } from "bun:test";
import { judge } from "./bar.ts";
import { type Job, time } from "./scan-cells.ts";
import { searchDearest, textOfRecipe } from "./scan-search.ts";
import { SCAN_BARS, SEARCH_BARS } from "./scan-targets.ts";
import { KINDS, MIXED, MIXED_UNITS, mixedTexts, textOf } from "./scan-texts.ts";
import { compiled, WORKS, worksOf } from "./scan-work.ts";

test("the scan bench's texts have their size, differ by number and are the same in every run", () => {
  for (const kind of KINDS) {
    for (const size of [400, 16_384]) expect(textOf(kind, size, 3)).toHaveLength(size);
    const texts = Array.from({ length: 10 }, (_, number) => textOf(kind, 4096, number));
    expect(new Set(texts).size).toBe(10);
    expect(Array.from(texts, (_, number) => textOf(kind, 4096, number))).toEqual(texts);
  }
});

test("benign texts hold no anchors for redactions, key-dense ones are full of findings", () => {
  const { scan } = worksOf(compiled().policy);
  for (const kind of ["prose", "code"] as const) expect(scan(textOf(kind, 16_384, 1))).toBe(0);
  expect(scan(textOf("keys", 16_384, 1))).toBeGreaterThan(100);
});

test("every kind of work is timed, and held against every target", () => {
  const works = worksOf(compiled().policy);
  const sizes = { prose: 400, keys: 16_384, hostile: 102_400, code: 16_384 };
  const jobs: Job[] = WORKS.flatMap((work) =>
    (["prose", "keys", "hostile", "code"] as const).map((kind) => {
      const size = sizes[kind];
      return { work, kind, size, texts: [textOf(kind, size, 0)], run: works[work] };
    }),
  );
  jobs.push({ work: "scan", kind: MIXED, size: MIXED_UNITS, texts: mixedTexts(1), run: works.scan });
  const timings = time(jobs, 1, 0);
  expect(timings.map(({ samples }) => samples)).toEqual(timings.map(() => 1));
  expect(timings.every(({ perKbP50, worst }) => perKbP50 > 0 && worst > 0)).toBe(true);
  expect(judge(SCAN_BARS, timings).map(({ verdict }) => verdict)).not.toContain("not measured");
  expect(judge(SCAN_BARS, []).map(({ verdict }) => verdict)).toEqual(SCAN_BARS.map(() => "not measured"));
  const slow = timings.map((timing) => ({ ...timing, p50: 1e9, worst: 1e9, perKb: 1e9, perKbP50: 1e9, perKbP99: 1e9 }));
  expect(judge(SCAN_BARS, slow).map(({ verdict }) => verdict)).toEqual(SCAN_BARS.map(() => "missed"));
});

test("mixed short texts differ, are short, and are the same in every run", () => {
  const texts = mixedTexts(200);
  expect(texts).toHaveLength(200);
  expect(new Set(texts).size).toBeGreaterThan(150);
  expect(texts.every(({ length }) => length > 0 && length <= MIXED_UNITS)).toBe(true);
  expect(mixedTexts(200)).toEqual(texts);
});

test.each(["whole", "stream"] as const)("dear texts are searched for and held against a target: %s", (way) => {
  const found = searchDearest(compiled().policy, way, 0.2);
  expect(found.secondsPerMb).toBeGreaterThan(0);
  expect(textOfRecipe(found.recipe, 5_000)).toHaveLength(5_000);
  const bars = SEARCH_BARS.filter((bar) => bar.measure([found]) !== undefined);
  expect(bars).toHaveLength(1);
  const verdictsOf = (secondsPerMb: number) => judge(bars, [{ ...found, secondsPerMb }]).map(({ verdict }) => verdict);
  expect([verdictsOf(1), verdictsOf(1.1)]).toEqual([["met"], ["missed"]]);
});
