import { expect, test } from "bun:test";
import fc from "fast-check";
import { isLongerThan, isLongJson } from "#core/json/json-size";
import { jsonText } from "#core/json/json-writer";
import { verifies } from "#test/support/verifies";

test("JSON size check: never wrong above, always right far above the limit", () => {
  verifies("fairness.tool-results");
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { length } = JSON.stringify(value);
      expect(isLongerThan(value, length)).toBe(false);
      // No character takes more than six as JSON, no name or value more than 30 beside its characters.
      expect(isLongerThan(value, Math.floor(length / 40) - 1)).toBe(true);
    }),
  );
});

test("a document is the same written at once and in turns", async () => {
  verifies("fairness.tool-results");
  const pause = () => Promise.resolve();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.constantFrom(1, 10_000), async (value, times) => {
      const list = Array.from({ length: times }, () => value);
      const text = jsonText(list, pause);
      expect(typeof text === "string").toBe(!isLongJson(list));
      expect(await text).toBe(JSON.stringify(list));
    }),
    { numRuns: 50 },
  );
});
