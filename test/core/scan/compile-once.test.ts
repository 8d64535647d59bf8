/** A regular expression costs a hundred times more to compile than to run: none is compiled for what stands in a text. */
import { expect, test } from "bun:test";
import { scanText } from "#core/scan/scan";
import { LONG_KINDS, longText } from "#test/bench/long-text-kinds";
import { verifies } from "#test/support/verifies";
import { DEFAULT } from "./samples";

/** How many expressions are compiled at run time while something is done. Those written as literals are not counted. */
function compiledDuring(work: () => void): number {
  const { RegExp: original } = globalThis;
  let count = 0;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args) {
      count++;
      return Reflect.construct(target, args);
    },
  });
  try {
    work();
  } finally {
    globalThis.RegExp = original;
  }
  return count;
}

test.each(LONG_KINDS)("no expression is compiled for each value of a text of class %p", (kind) => {
  verifies("scan.long-texts");
  // Plans and rules are compiled when a text first needs them.
  scanText(DEFAULT, longText(kind, 20_000), "user");
  expect(compiledDuring(() => scanText(DEFAULT, longText(kind, 20_000), "user"))).toBe(0);
});
