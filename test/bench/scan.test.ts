import { expect, test } from "bun:test";
import { judge } from "./bar.ts";
import { time } from "./scan-cells.ts";
import { SCAN_BARS } from "./scan-targets.ts";
import { KINDS, textOf } from "./scan-texts.ts";
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
  const jobs = WORKS.flatMap((work) =>
    (["prose", "keys", "hostile", "code"] as const).map((kind) => {
      const size = sizes[kind];
      return { work, kind, size, texts: [textOf(kind, size, 0)], run: works[work] };
    }),
  );
  const timings = time(jobs, 1, 0);
  expect(timings.map(({ samples }) => samples)).toEqual(timings.map(() => 1));
  expect(timings.every(({ perKbP50, worst }) => perKbP50 > 0 && worst > 0)).toBe(true);
  expect(judge(SCAN_BARS, timings).map(({ verdict }) => verdict)).not.toContain("not measured");
  expect(judge(SCAN_BARS, []).map(({ verdict }) => verdict)).toEqual(SCAN_BARS.map(() => "not measured"));
  const slow = timings.map((timing) => ({ ...timing, p50: 1e9, worst: 1e9, perKbP50: 1e9, perKbP99: 1e9 }));
  expect(judge(SCAN_BARS, slow).map(({ verdict }) => verdict)).toEqual(SCAN_BARS.map(() => "missed"));
});
