import { expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { Catalogue, priceTable, providersIn } from "#guard/money/catalogue";
import { readCatalogue } from "#guard/money/catalogue-source";
import { PriceBook } from "#guard/money/prices";
import { usdOf } from "#model/money";
import { costOf, type PriceRow, tokenPartsOf } from "#model/price";
import { packed, unpacked } from "#platform/embedded";
import { verifies } from "#test/support/verifies";

const NOW = Date.UTC(2026, 10, 26, 12);
const OPENAI = { name: "openai", base_url: "https://api.openai.com/v1", kind: "openai" } as const;
const CLAUDE = { name: "claude", base_url: "https://api.anthropic.com/v1", kind: "anthropic" } as const;
const GEMINI = {
  name: "gemini",
  base_url: "https://us-central1-aiplatform.googleapis.com/v1",
  kind: "vertex",
} as const;
const OWN = { name: "own", base_url: "http://127.0.0.1:11434/v1", kind: "openai" } as const;

const bookOf = (configured: readonly PriceRow[] = [], prices: readonly PriceRow[] = []): PriceBook => {
  const book = new PriceBook({
    configured,
    builtIn: [{ name: "guardhouse" }],
    catalogue: new Catalogue(),
    now: () => NOW,
  });
  book.apply({ providers: [OPENAI, CLAUDE, GEMINI, OWN], prices });
  return book;
};

const row = (model: string, input: number, provider: string | null = null): PriceRow => ({
  ...{ model, provider, prices: { input, output: 2 * input } },
});
const inputOf = (book: PriceBook, provider: string, model: string) => book.priceOf(provider, model)?.input ?? null;

test("built-in prices are those of the package, in each of its parts and tiers", () => {
  verifies("money.prices");
  const book = bookOf();
  const models = [
    [OPENAI, "gpt-5"],
    [OPENAI, "gpt-5-mini-2025-08-07"],
    [OPENAI, "text-embedding-3-small"],
    [CLAUDE, "claude-opus-4-6"],
    [CLAUDE, "claude-haiku-4-5-20251001"],
    [GEMINI, "gemini-2.5-pro"],
  ] as const;
  const parts = fc.record({
    read: fc.nat(50_000),
    written: fc.nat(50_000),
    rest: fc.nat(400_000),
    output: fc.nat(100_000),
  });
  fc.assert(
    fc.property(fc.constantFrom(...models), parts, ([provider, model], { read, written, rest, output }) => {
      const price = book.priceOf(provider.name, model);
      if (price === null) throw new Error(`${model} has no price`);
      const prompt = read + written + rest;
      const theirs = calcPrice(
        { input_tokens: prompt, cache_read_tokens: read, cache_write_tokens: written, output_tokens: output },
        model,
        { providerApiUrl: provider.base_url, timestamp: new Date(NOW) },
      );
      const usage = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
      const ours = costOf(tokenPartsOf({ ...usage, cached_tokens: read, cache_write_tokens: written }), price);
      expect(usdOf(ours)).toBeCloseTo(theirs?.total_price ?? Number.NaN, 8);
    }),
    { numRuns: 500 },
  );
});

test("who set a price for a model exactly comes before who set one for a pattern, and the file before people", () => {
  verifies("money.prices");
  const configured = [row("llama*", 1), row("gpt-5", 2, "own")];
  const set = [row("llama-3", 3), row("gpt-*", 4), row("gpt-5", 5, "own")];
  const book = bookOf(configured, set);
  expect(inputOf(book, "own", "llama-2")).toBe(1_000_000);
  expect(inputOf(book, "own", "llama-3")).toBe(3_000_000);
  expect(inputOf(book, "own", "gpt-5")).toBe(2_000_000);
  expect(inputOf(book, "openai", "gpt-5")).toBe(4_000_000);
  expect(book.find("openai", "gpt-5")?.source).toBe("set");
  book.apply({ providers: null, prices: [] });
  expect(inputOf(book, "openai", "gpt-5")).toBe(1_250_000);
  expect(book.find("openai", "gpt-5")?.source).toBe("built_in");
});

test("a model without a price has none, and is not taken for free; the hub's own model costs nothing", () => {
  verifies("money.prices");
  const book = bookOf();
  expect(book.priceOf("own", "llama-3")).toBeNull();
  expect(book.priceOf("openai", "gpt-of-our-own")).toBeNull();
  expect(book.priceOf("gone", "gpt-5")).toBeNull();
  expect(book.priceOf("guardhouse", "guardhouse/echo")).toMatchObject({ input: 0, output: 0 });
});

test("the table in the executable says what the price list says, and reads the models of who is asked about alone", () => {
  verifies("money.prices");
  const table = priceTable();
  expect(unpacked(Uint8Array.from(packed(table)))).toEqual(table);
  expect(providersIn(table).map(({ id, url, others, models }) => ({ id, url, others, models }))).toEqual([
    ...readCatalogue(),
  ]);
  const others = table.map((provider) =>
    provider.id === "openai" ? provider : { ...provider, models: new Uint8Array(8) },
  );
  const catalogue = new Catalogue(() => providersIn(others));
  expect(catalogue.find(OPENAI, "gpt-4o")).toEqual(new Catalogue().find(OPENAI, "gpt-4o"));
  expect(() => catalogue.find(CLAUDE, "claude-opus-4")).toThrow();
});
