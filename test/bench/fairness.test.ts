import { expect, setDefaultTimeout, test } from "bun:test";
import { isFair, measureFairness, rowText, SHAPES } from "./fairness.ts";

setDefaultTimeout(120_000);

test("small callers are measured alone and beside a large one, and all are answered", async () => {
  const shapes = SHAPES.filter(({ name }) => name === "phones" || name === "deep nesting");
  const rows = await measureFairness({ seconds: 0.4, bytes: 100_000, shapes });
  expect(rows.map(({ shape }) => shape)).toEqual(shapes.map(({ name }) => name));
  for (const { alone, burner, beside } of rows) {
    expect(alone.calls).toBeGreaterThan(0);
    expect(beside.calls).toBeGreaterThan(0);
    expect(beside.large).toBeGreaterThan(0);
    expect([alone.errors, burner.errors, beside.errors]).toEqual([0, 0, 0]);
  }
});

test("a shape is fair when small callers wait at most three times as long, and health checks 100 ms", () => {
  const alone = { p50: 1, p99: 10, calls: 100, errors: 0, clientP99: 1 };
  const burner = { ...alone, p99: 15 };
  const beside = { p50: 2, p99: 30, calls: 100, errors: 0, clientP99: 4, healthMax: 100, delayMs: 20, large: 3 };
  expect(isFair({ shape: "any", alone, burner, beside })).toBe(true);
  expect(isFair({ shape: "any", alone, burner, beside: { ...beside, p99: 31 } })).toBe(false);
  expect(isFair({ shape: "any", alone, burner, beside: { ...beside, healthMax: 101 } })).toBe(false);
  expect(isFair({ shape: "any", alone, burner, beside: { ...beside, errors: 1 } })).toBe(false);
  // Nobody to be fair beside: the row measured nothing.
  expect(isFair({ shape: "any", alone, burner, beside: { ...beside, large: 0 } })).toBe(false);
  expect(rowText({ shape: "any", alone, burner, beside })).toContain("3.00");
});
