import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BUDGET_PERIODS, warnedAt, windowEnd, windowStart } from "#model/budget";
import type { Usage } from "#model/model-api";
import { MAX_NANO, nanoOf, parsedUsd, shownUsd, usdOf } from "#model/money";
import {
  costOf,
  MAX_PRICE,
  mostOf,
  type Price,
  TOKEN_KINDS,
  type TokenParts,
  tokenPartsOf,
  tokenPricesOf,
} from "#model/price";
import { verifies } from "#test/support/verifies";

const FREE: TokenParts = { input: 0, cached_input: 0, cache_write: 0, cache_write_1h: 0, output: 0, reasoning: 0 };
const price = (said: Parameters<typeof tokenPricesOf>[0]): Price => ({ ...tokenPricesOf(said), tiers: [] });

/** Dollars a million tokens, of six decimals. */
const usd = fc.integer({ min: 0, max: MAX_PRICE * 1_000_000 }).map((micro) => micro / 1_000_000);
const anyPrice = fc
  .record({ input: usd, output: usd, cached_input: usd, cache_write: usd, cache_write_1h: usd, reasoning: usd })
  .map(price);
const count = fc.oneof(fc.nat(1_000), fc.nat(2_000_000), fc.constant(0));
const odd = fc.oneof(count, fc.double(), fc.integer());
const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    prompt_tokens: odd,
    completion_tokens: odd,
    total_tokens: odd,
    cached_tokens: odd,
    cache_write_tokens: odd,
    cache_write_1h_tokens: odd,
    reasoning_tokens: odd,
  },
  { requiredKeys: ["prompt_tokens", "completion_tokens", "total_tokens"] },
);

describe("amounts", () => {
  test("dollars name one number of nano-dollars each, in JSON and in words", () => {
    verifies("money.arithmetic");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_NANO }), (nano) => {
        expect(nanoOf(JSON.parse(JSON.stringify(usdOf(nano))))).toBe(nano);
        expect(parsedUsd(shownUsd(nano))).toBe(nano);
      }),
      { numRuns: 2_000 },
    );
    expect([shownUsd(0), shownUsd(12_500_000_000), shownUsd(1), shownUsd(1_234_000)]).toEqual([
      ...["0.00", "12.50", "0.000000001", "0.001234"],
    ]);
    for (const text of ["", "-1", "1e3", "1.", ".5", "1000000.1", "0.1234567891", "12 "])
      expect(parsedUsd(text)).toBeNull();
  });
});

describe("costs", () => {
  test("each token is of one kind, whatever a provider counts", () => {
    verifies("money.arithmetic");
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const parts = tokenPartsOf(usage);
        for (const kind of TOKEN_KINDS) expect(Number.isSafeInteger(parts[kind]) && parts[kind] >= 0).toBe(true);
        const whole = (n: number) => (n > 0 ? Math.min(1e12, Math.ceil(n)) : 0);
        const prompt = parts.input + parts.cached_input + parts.cache_write + parts.cache_write_1h;
        expect(prompt).toBe(whole(usage.prompt_tokens));
        const answer = whole(usage.completion_tokens);
        expect(parts.output + parts.reasoning).toBe(Math.max(answer, whole(usage.total_tokens) - prompt));
      }),
      { numRuns: 2_000 },
    );
  });

  test("a cost is what exact arithmetic gives, rounded up once; parts add up to the whole", () => {
    verifies("money.arithmetic");
    fc.assert(
      fc.property(anyUsage, anyPrice, (usage, prices) => {
        const parts = tokenPartsOf(usage);
        const exact = TOKEN_KINDS.reduce((sum, kind) => sum + BigInt(parts[kind]) * BigInt(prices[kind]), 0n);
        const cost = costOf(parts, prices);
        expect(cost).toBe(Math.min(MAX_NANO, Number((exact + 999n) / 1_000n)));
        const alone = TOKEN_KINDS.map((kind) => costOf({ ...FREE, [kind]: parts[kind] }, prices));
        const sum = alone.reduce((all, one) => all + one, 0);
        if (sum < MAX_NANO) {
          expect(sum).toBeGreaterThanOrEqual(cost);
          expect(sum - cost).toBeLessThan(TOKEN_KINDS.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is held before a call is never less than what so many tokens cost", () => {
    verifies("money.arithmetic");
    fc.assert(
      fc.property(anyPrice, count, count, fc.nat(100), fc.nat(100), fc.nat(100), (prices, prompt, answer, a, b, c) => {
        const of = (tokens: number, share: number) => Math.floor((tokens * share) / 100);
        const usage = {
          ...{ prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer },
          ...{ cached_tokens: of(prompt, a), cache_write_tokens: of(prompt, b), cache_write_1h_tokens: of(prompt, c) },
          reasoning_tokens: of(answer, a),
        };
        expect(mostOf(prompt, answer, prices)).toBeGreaterThanOrEqual(costOf(tokenPartsOf(usage), prices));
      }),
      { numRuns: 2_000 },
    );
  });

  test("a long prompt has the prices of its tier, for all of its tokens", () => {
    verifies("money.arithmetic");
    const tiers = [{ above: 200_000, prices: tokenPricesOf({ input: 2.5, output: 15 }) }];
    const tiered: Price = { ...tokenPricesOf({ input: 1.25, output: 10 }), tiers };
    const parts = (input: number): TokenParts => ({ ...FREE, input, output: 1_000 });
    expect(usdOf(costOf(parts(200_000), tiered))).toBe(0.26);
    expect(usdOf(costOf(parts(200_001), tiered))).toBe(0.515_002_5);
  });

  test("reasoning that a provider counts beside the answer is paid for", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 130 };
    expect(tokenPartsOf({ ...usage, reasoning_tokens: 100 })).toEqual({
      ...FREE,
      input: 10,
      output: 20,
      reasoning: 100,
    });
    expect(tokenPartsOf(usage)).toEqual({ ...FREE, input: 10, output: 20, reasoning: 100 });
    const within = { ...usage, total_tokens: 30, reasoning_tokens: 15 };
    expect(tokenPartsOf(within)).toEqual({ ...FREE, input: 10, output: 5, reasoning: 15 });
  });
});

describe("windows", () => {
  test("every moment is in one window of each period, and windows follow one another", () => {
    verifies("money.windows");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (at) => {
        for (const period of BUDGET_PERIODS) {
          const start = windowStart(period, at);
          const end = windowEnd(period, start);
          expect(start <= at && at < end).toBe(true);
          expect([windowStart(period, start), windowStart(period, end - 1), windowStart(period, end)]).toEqual([
            start,
            start,
            end,
          ]);
        }
      }),
      { numRuns: 2_000 },
    );
    const shown = (period: (typeof BUDGET_PERIODS)[number], at: string) =>
      new Date(windowStart(period, Date.parse(at))).toISOString().slice(0, 10);
    expect(shown("week", "2026-11-29T23:59:59Z")).toBe("2026-11-23");
    expect(shown("week", "2026-11-30T00:00:00Z")).toBe("2026-11-30");
    expect(shown("month", "2026-12-31T12:00:00Z")).toBe("2026-12-01");
  });

  test("shares of a budget are reached to the nano-dollar", () => {
    verifies("money.warnings");
    expect([749, 750, 949, 950, 2_000].map((spent) => warnedAt(spent, 1_000))).toEqual([0, 75, 75, 95, 95]);
    expect([warnedAt(0, 0), warnedAt(0, 10)]).toEqual([95, 0]);
  });
});
