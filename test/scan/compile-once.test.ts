/** A regular expression costs a hundred times more to compile than to run: none is compiled for what stands in a text. */
import { expect, test } from "bun:test";
import { scanText } from "#scan/scan";
import { LONG_KINDS, longText } from "#test/bench/long-text-kinds";
import { compiledDuring } from "#test/support/compiled";
import { verifies } from "#test/support/verifies";
import { DEFAULT } from "./samples";

test.each(LONG_KINDS)("no expression is compiled for each value of a text of class %p", (kind) => {
  verifies("scan.long-texts");
  // Plans and rules are compiled when a text first needs them.
  scanText(DEFAULT, longText(kind, 20_000), "user");
  expect(compiledDuring(() => scanText(DEFAULT, longText(kind, 20_000), "user")).expressions).toBe(0);
});
