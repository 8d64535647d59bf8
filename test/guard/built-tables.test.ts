import { expect, test } from "bun:test";
import { builtTables } from "#guard/built-tables";
import { packed, unpacked } from "#platform/embedded";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { goldenSamples } from "#scan/golden";
import { compilePolicy, offerTables } from "#scan/policy";
import type { PrefilterTables } from "#scan/prefilter-tables";
import { scanText } from "#scan/scan";

test("the tables that the build puts into the executable come out of it as they were made", () => {
  const made = builtTables();
  expect(unpacked(Uint8Array.from(packed(made)))).toEqual(made);
  // And nothing of them is chance, or executables of one source would differ.
  expect(Buffer.from(packed(builtTables())).equals(packed(made))).toBe(true);
});

test("with tables that were made before, the same is found", () => {
  const detectors = [...DETECTORS];
  const asked: number[] = [];
  offerTables(detectors, () => {
    asked.push(1);
    return unpacked(Uint8Array.from(packed(builtTables()))) as PrefilterTables;
  });
  const [made, taken] = [DETECTORS, detectors].map((each) => compilePolicy(DEFAULT_POLICY, 1, each));
  if (!made || !taken) throw new Error("two policies");
  expect(asked).toEqual([]);
  for (const { text, origin } of goldenSamples()) {
    expect(scanText(taken, text, origin)).toEqual(scanText(made, text, origin));
  }
  expect(asked).toEqual([1]);
});
