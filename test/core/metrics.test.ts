import { expect, test } from "bun:test";
import fc from "fast-check";
import { Histogram, metricsText } from "#core/metrics";
import { figureOf, parseMetrics } from "#test/support/prometheus";
import { verifies } from "#test/support/verifies";

test("whatever stands in labels and help is read back as it was", () => {
  verifies("metrics.format");
  const text = fc.string({ unit: "binary" }).filter((it) => !it.includes("\r"));
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 8 }), text, fc.double(), (labels, help, value) => {
      const samples = labels.map((label) => ({ labels: { of: label, and: "more" }, value }));
      const families = parseMetrics(metricsText([{ name: "some_thing", help: `.${help}`, type: "gauge", samples }]));
      const [family] = families.values();
      expect(family?.help).toBe(`.${help}`);
      for (const label of labels) {
        expect(figureOf(families, "some_thing", { of: label, and: "more" })).toBe(value === 0 ? 0 : value);
      }
    }),
  );
});

test("a histogram holds each value in its bucket and all above", () => {
  verifies("metrics.format");
  const bounds = fc.uniqueArray(fc.double({ min: 0, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 12 });
  const values = fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }), { maxLength: 60 });
  fc.assert(
    fc.property(bounds, values, (some, observed) => {
      const rising = some.toSorted((one, other) => one - other);
      const histogram = new Histogram(rising);
      for (const value of observed) histogram.observe(value);
      const { buckets, count, sum } = histogram.read();
      expect(count).toBe(observed.length);
      expect(sum).toBeCloseTo(observed.reduce((all, one) => all + one, 0));
      for (const [bound, below] of buckets) expect(below).toBe(observed.filter((one) => one <= bound).length);
      parseMetrics(
        metricsText([{ name: "took_seconds", help: "Time.", type: "histogram", histogram: histogram.read() }]),
      );
    }),
  );
});

test.each([
  ["a_total 1\n", "not a sample"],
  ["# HELP a_total A.\n# TYPE a_total counter\na_total -1\n", "a_total is -1"],
  ["# HELP a A.\n# TYPE a counter\na 1\n", "does not end in _total"],
  ["# HELP a A.\n# TYPE a gauge\na 1\na 2\n", "twice"],
  ["# HELP a A.\n# TYPE a gauge\nb 2\n", "stands below a"],
  ['# HELP a A.\n# TYPE a gauge\na{b="1" } 2\n', "not a label"],
  ["# HELP a A.\n# TYPE a gauge\na 1,5\n", "not a number"],
  ["# HELP a A.\n# TYPE a gauge\na 1", "no end"],
  ['# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n', "no last bucket"],
])("the reader of these tests refuses %j", (text, problem) => {
  expect(() => parseMetrics(text)).toThrow(problem);
});
