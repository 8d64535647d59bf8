/**
 * A megabyte of candidates is dear by what each of them costs. Counted in steps, not in time: how often an expression is
 * tried, a string cut out or made anew, something looked up.
 */
import { expect, test } from "bun:test";
import { scanText } from "#scan/scan";
import { LONG_KINDS, longText } from "#test/bench/long-text-kinds";
import { stepsOf } from "#test/support/steps";
import { verifies } from "#test/support/verifies";
import { DEFAULT } from "./samples";

/** Steps a unit of text. Prose takes 0.1, the dearest class 11; before values were judged once it took 161. */
const MAX_STEPS = 14;
/** Of a text four times as long, for each unit. Quadratic work would be four. */
const MAX_GROWTH = 1.2;
const SHORT = 8_000;
const LONG = 32_000;

test.each(LONG_KINDS)("a unit of text of class %p takes few steps, and no more in a long text", (kind) => {
  verifies("scan.long-texts");
  const text = longText(kind, LONG);
  // Tables, plans and rules are made for the first text that needs them.
  scanText(DEFAULT, text, "user");
  const perUnit = (size: number): number => stepsOf(() => scanText(DEFAULT, text.slice(0, size), "user")) / size;
  const long = perUnit(LONG);
  expect(long).toBeLessThan(MAX_STEPS);
  expect(long).toBeLessThan(perUnit(SHORT) * MAX_GROWTH + 0.1);
});

/** Before the widths of its groups were looked at first it took 11.3. */
const MAX_STEPS_OF_PAIRS = 8;

test("pairs of digits between signs are turned down as cards before anything is cut out of the text", () => {
  verifies("scan.long-texts");
  const text = longText("percent encoding", SHORT);
  scanText(DEFAULT, text, "user");
  expect(stepsOf(() => scanText(DEFAULT, text, "user")) / SHORT).toBeLessThan(MAX_STEPS_OF_PAIRS);
});
