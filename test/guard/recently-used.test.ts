import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Scanner } from "#guard/scanner";
import { RecentPrints } from "#platform/recent-prints";
import { RecentlyUsed } from "#platform/recently-used";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import { DEFAULT, PERSONAL } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";

describe("the cache", () => {
  test("gives back what was put in, never more than it may hold, and keeps the latest half", () => {
    verifies("scan.verdict-cache");
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 20 }), (list, entries) => {
        const cache = new RecentlyUsed<number>(entries);
        const put: number[] = [];
        for (const [isPut, key] of list) {
          if (!isPut) {
            const known = cache.get(`${key}`);
            if (known !== undefined) expect(known).toBe(key);
            continue;
          }
          cache.set(`${key}`, key);
          put.push(key);
          expect(cache.get(`${key}`)).toBe(key);
        }
        const known = Array.from({ length: 31 }, (_, key) => cache.get(`${key}`)).filter(
          (value) => value !== undefined,
        );
        expect(known.length).toBeLessThanOrEqual(entries + 1);
      }),
      { numRuns: 300 },
    );
  });

  test("holds no more than its capacity when values weigh differently, and always the last that may be kept", () => {
    const steps = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 30 }), weight: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 20 }), (list, capacity) => {
        const cache = new RecentlyUsed<number>(capacity, (weight) => weight);
        for (const { key, weight } of list) {
          cache.set(`${key}`, weight);
          expect(cache.get(`${key}`)).toBe(weight <= Math.ceil(capacity / 2) ? weight : undefined);
          if (weight % 5 === 0) cache.delete(`${key}`);
        }
        const held = Array.from({ length: 31 }, (_, key) => cache.get(`${key}`) ?? 0);
        expect(held.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(capacity + 1);
      }),
    );
  });

  test("LRU cache evicts the least recently used entry", () => {
    const cache = new RecentlyUsed<number>(10);
    for (let key = 0; key < 40; key += 1) {
      cache.set(`${key}`, key);
      expect(cache.get("0")).toBe(0);
    }
    expect(cache.get("1")).toBeUndefined();
    cache.clear();
    expect(cache.get("0")).toBeUndefined();
  });
});

describe("the scanner", () => {
  const text = `${"The quick brown fox jumps over the lazy dog. ".repeat(14)}${PERSONAL.email}`;

  test("knows a text again, under the same policy, from the same origin", () => {
    verifies("scan.verdict-cache");
    const scanner = new Scanner(DEFAULT, new Uint8Array(32), 100);
    const first = scanner.scan(DEFAULT, text, "user");
    expect(first.cached).toBe(false);
    expect(scanner.scan(DEFAULT, text, "user")).toEqual({ scan: first.scan, cached: true });
    expect(scanner.scan(DEFAULT, text, "system").cached).toBe(false);
    expect(scanner.scan(DEFAULT, `${text} `, "user").cached).toBe(false);
  });

  test("verdicts with many findings drive each other out, not those with few, and are the same when asked for again", () => {
    verifies("scan.verdict-memory");
    const scanner = new Scanner(DEFAULT, new Uint8Array(32), 10);
    scanner.scan(DEFAULT, text, "user");
    const many = Array.from({ length: 10 }, (_, n) => `${n} ${`${PERSONAL.email} `.repeat(100)}`);
    const scans = many.map((one) => scanner.scan(DEFAULT, one, "user").scan);
    expect(scans.map(({ findings }) => findings.length)).toEqual(many.map(() => 100));
    expect(scanner.scan(DEFAULT, text, "user").cached).toBe(true);
    const last = many.at(-1) ?? "";
    expect(scanner.scan(DEFAULT, last, "user")).toEqual({ scan: scanText(DEFAULT, last, "user"), cached: true });
    const cached = many.filter((one) => scanner.scan(DEFAULT, one, "user").cached);
    expect(cached.length).toBeLessThanOrEqual(6);
  });

  test("names are judged as they are scanned, and what was found in one is found in it again, under every policy", () => {
    const scanner = new Scanner(DEFAULT, new Uint8Array(32), 100);
    const lax = compilePolicy({ ...DEFAULT_POLICY, rules: [] }, 2, DETECTORS);
    const names = ["gpt-4o-mini-2024-07-18", "fp_44709d6fcb", PERSONAL.email, `${PERSONAL.email} `.repeat(9)];
    for (const origin of ["user", "output"] as const) {
      for (const policy of [DEFAULT, lax, DEFAULT, lax]) {
        for (const name of names) {
          expect(scanner.scanName(policy, name, origin).scan).toEqual(scanText(policy, name, origin));
        }
      }
    }
    expect(scanner.scanName(DEFAULT, "claude-opus-4-20250514", "user").cached).toBe(false);
    expect(scanner.scanName(DEFAULT, "claude-opus-4-20250514", "user").cached).toBe(true);
    expect(scanner.scanName(DEFAULT, "claude-opus-4-20250514", "output").cached).toBe(false);
    expect(scanner.scanName(DEFAULT, "claude-opus-4-20250514", "output").cached).toBe(false);
  });

  test("a new policy sees every text anew; a call keeps the one it began with", () => {
    verifies("scan.verdict-cache");
    const scanner = new Scanner(DEFAULT, new Uint8Array(32), 100);
    const before = scanner.snapshot();
    scanner.scan(before, text, "user");
    scanner.replace(compilePolicy({ ...DEFAULT_POLICY, rules: [] }, 2, DETECTORS));
    const after = scanner.snapshot();
    expect(scanner.scan(after, text, "user")).toEqual({ scan: { findings: [] }, cached: false });
    expect(scanner.scan(before, text, "user").scan.findings).toHaveLength(1);
  });

  test("without room nothing is remembered, and everything works", () => {
    const scanner = new Scanner(DEFAULT, new Uint8Array(32), 0);
    for (let round = 0; round < 3; round += 1)
      expect(scanner.scan(DEFAULT, text, "user").scan.findings).toHaveLength(1);
  });
});

describe("fingerprints that came lately", () => {
  const printOf = (text: string): Uint32Array =>
    new Uint32Array(new Bun.CryptoHasher("sha256").update(text).digest().buffer.slice(0));

  test("knows only what was added, always the last of it, and never more than it may hold", () => {
    verifies("scan.verdict-cache");
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 60 })), { maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (list, capacity) => {
        const prints = new RecentPrints(capacity);
        const added = new Set<number>();
        for (const [isAdded, number] of list) {
          if (isAdded) {
            prints.add(printOf(`${number}`));
            added.add(number);
            expect(prints.has(printOf(`${number}`))).toBe(true);
          } else if (prints.has(printOf(`${number}`))) expect(added.has(number)).toBe(true);
        }
        const held = Array.from({ length: 61 }, (_, number) => number).filter((number) =>
          prints.has(printOf(`${number}`)),
        );
        expect(held.length).toBeLessThanOrEqual(capacity);
      }),
    );
  });

  test("with eight places keeps the eight that were asked for last", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 });
    fc.assert(
      fc.property(numbers, (list) => {
        const prints = new RecentPrints(8);
        let latest: number[] = [];
        for (const number of list) {
          if (!prints.has(printOf(`${number}`))) prints.add(printOf(`${number}`));
          latest = [number, ...latest.filter((one) => one !== number)].slice(0, 8);
        }
        // Those that went longest ago first: asking is use.
        for (const number of latest.toReversed()) expect(prints.has(printOf(`${number}`))).toBe(true);
        for (let number = 0; number <= 20; number += 1) {
          expect(prints.has(printOf(`${number}`))).toBe(latest.includes(number));
        }
      }),
    );
  });

  test("two that differ in any of 128 bits are two", () => {
    for (let bit = 0; bit < 128; bit += 1) {
      const prints = new RecentPrints(8);
      const print = printOf("one");
      prints.add(print);
      const other = print.slice();
      other[bit >> 5] = (other[bit >> 5] ?? 0) ^ (1 << (bit & 31));
      expect(prints.has(other)).toBe(false);
    }
  });

  test("holds nothing without room", () => {
    const prints = new RecentPrints(0);
    prints.add(printOf("one"));
    expect(prints.has(printOf("one"))).toBe(false);
  });
});
