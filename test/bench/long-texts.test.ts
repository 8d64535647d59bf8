import { expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { judge } from "./bar.ts";
import { LONG_KINDS, longText } from "./long-text-kinds.ts";
import { LONG_TEXT_BARS, type LongTiming, longTimingText, ownScanner, timeLongTexts } from "./long-texts.ts";

test("the long texts have their size, and are the same in every run", () => {
  expect(LONG_KINDS.length).toBeGreaterThan(25);
  for (const kind of LONG_KINDS) {
    const text = longText(kind, 5_000);
    expect(text).toHaveLength(5_000);
    expect(longText(kind, 5_000)).toBe(text);
    expect(longText(kind, 7_000).startsWith(text)).toBe(true);
  }
});

test("every class is timed, and held against every target", () => {
  verifies("scan.long-texts");
  const scan = ownScanner();
  const timings = timeLongTexts(["prose", "ip 4"], (text) => scan(text.slice(0, 10_000)), scan, "quick");
  expect(timings.map(({ kind }) => kind)).toEqual(["prose", "ip 4"]);
  expect(timings[1]?.findings).toBeGreaterThan(300);
  expect(longTimingText(timings)).toContain("÷ beside");
  const timing: LongTiming = { kind: "prose", findings: 0, first: 1, least: 1, other: undefined, growth: 1 };
  expect(judge(LONG_TEXT_BARS, [timing]).map(({ verdict }) => verdict)).toEqual(["met", "met", "met"]);
  const dear = { ...timing, first: 1e5, least: 1e5, growth: 9 };
  expect(judge(LONG_TEXT_BARS, [timing, dear]).map(({ verdict }) => verdict)).toEqual(["missed", "missed", "missed"]);
  expect(judge(LONG_TEXT_BARS, []).map(({ verdict }) => verdict)).toEqual(LONG_TEXT_BARS.map(() => "not measured"));
});
