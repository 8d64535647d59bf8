import { expect, test } from "bun:test";
import { lastingMetrics, mergedMetrics } from "#core/merged-metrics";
import type { Metric } from "#core/metrics";
import { verifies } from "#test/support/verifies";

const readingOf = (worker: string, n: number): { worker: string; metrics: Metric[] } => ({
  worker,
  metrics: [
    { name: "calls_total", help: "", type: "counter", samples: [{ labels: { a: "x", b: "y" }, value: n }] },
    { name: "open", help: "", type: "gauge", samples: [{ value: n }] },
    { name: "agents", help: "", type: "gauge", over: "max", samples: [{ value: n }] },
    { name: "memory", help: "", type: "gauge", over: "each", samples: [{ value: n }] },
    { name: "cpu_total", help: "", type: "counter", over: "each", samples: [{ value: n }] },
    {
      ...{ name: "delay", help: "", type: "histogram" },
      histogram: { buckets: [[1, n] as const, [2, n + 1] as const], count: n + 2, sum: 10 * n },
    },
  ],
});

const samplesOf = (metrics: readonly Metric[], name: string) => {
  const metric = metrics.find((one) => one.name === name);
  return metric && metric.type !== "histogram" ? metric.samples : null;
};

test("figures of several processes are their sum, the highest, or each with its worker", () => {
  verifies("workers.metrics");
  const merged = mergedMetrics([readingOf("0", 3), readingOf("1", 4)]);
  expect(merged.map(({ name }) => name)).toEqual(["calls_total", "open", "agents", "memory", "cpu_total", "delay"]);
  expect(samplesOf(merged, "calls_total")).toEqual([{ labels: { a: "x", b: "y" }, value: 7 }]);
  expect(samplesOf(merged, "open")).toEqual([{ value: 7 }]);
  expect(samplesOf(merged, "agents")).toEqual([{ value: 4 }]);
  expect(samplesOf(merged, "memory")).toEqual([
    { labels: { worker: "0" }, value: 3 },
    { labels: { worker: "1" }, value: 4 },
  ]);
  const histogram = { buckets: [[1, 7] as const, [2, 9] as const], count: 11, sum: 70 };
  expect(merged.at(-1)).toMatchObject({ type: "histogram", histogram });
});

test("labels are the same in any order, and samples that one process alone has stay", () => {
  verifies("workers.metrics");
  const one = (labels: Readonly<Record<string, string>>): Metric => ({
    ...{ name: "c", help: "", type: "counter" },
    samples: [{ labels, value: 1 }],
  });
  const merged = mergedMetrics(
    [one({ a: "x", b: "y" }), one({ b: "y", a: "x" }), one({ a: "z" })].map((metric) => ({
      worker: "0",
      metrics: [metric],
    })),
  );
  expect(samplesOf(merged, "c")?.map(({ value }) => value)).toEqual([2, 1]);
});

test("what a process has counted stays when it has ended, its gauges go; what another version means is left out", () => {
  verifies("workers.metrics");
  const lasting = lastingMetrics(readingOf("0", 3).metrics);
  expect(lasting.map(({ name }) => name)).toEqual(["calls_total", "delay"]);
  const other: Metric = { name: "delay", help: "", type: "histogram", histogram: { buckets: [], count: 9, sum: 9 } };
  const [, delay] = mergedMetrics([
    { worker: null, metrics: lasting },
    { worker: "1", metrics: [other] },
  ]);
  expect(delay).toEqual(lasting[1]);
  const counter: Metric = { name: "calls_total", help: "", type: "gauge", samples: [{ value: 1 }] };
  const [calls] = mergedMetrics([
    { worker: null, metrics: lasting },
    { worker: "1", metrics: [counter] },
  ]);
  expect(calls).toEqual(lasting[0]);
});
