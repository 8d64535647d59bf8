import { Type } from "#core/schema";
import type { Usage } from "./model-api";
import { MAX_NANO } from "./money";

/*
 * What tokens cost. A price is in pico-dollars a token: a dollar a million tokens is 1,000,000 of them, so prices of six
 * decimals a million tokens are whole numbers.
 */

/** Tokens that have prices of their own. A token is of one kind. */
export const TOKEN_KINDS = ["input", "cached_input", "cache_write", "cache_write_1h", "output", "reasoning"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export type TokenPrices = Readonly<Record<TokenKind, number>>;

/** Tokens of a call by their kinds. */
export type TokenParts = Readonly<Record<TokenKind, number>>;

export type Price = TokenPrices & {
  /** Prices of a call whose prompt has more tokens than `above`, for all of its tokens. Lowest first. */
  readonly tiers: readonly { readonly above: number; readonly prices: TokenPrices }[];
};

/** What a model costs at a provider; null for one without a price: it is not known, and never nothing. */
export type PriceOf = (provider: string, model: string) => Price | null;

/** What is said of a price: dollars a million tokens. What is left out costs what its tokens are a sort of. */
export type PriceSaid = Readonly<Partial<Record<TokenKind, number>>> & {
  readonly input: number;
  readonly output: number;
};

const PICO_A_DOLLAR_A_MILLION = 1_000_000;
/** Dollars a million tokens. */
export const MAX_PRICE = 100_000;

export const PricePart = Type.Number({ minimum: 0, maximum: MAX_PRICE, description: "US dollars per million tokens." });

/** The parts of a price, as people write them in the configuration and send them to the API. */
export const PRICE_PARTS = {
  input: PricePart,
  cached_input: Type.Optional(PricePart),
  cache_write: Type.Optional(PricePart),
  cache_write_1h: Type.Optional(PricePart),
  output: PricePart,
  reasoning: Type.Optional(PricePart),
};

const pico = (usdAMillion: number): number => Math.round(usdAMillion * PICO_A_DOLLAR_A_MILLION);

/** Of pico-dollars a token, dollars a million tokens. */
export const usdAMillion = (price: number): number => price / PICO_A_DOLLAR_A_MILLION;

export const tokenPricesOf = (said: PriceSaid): TokenPrices => {
  const { input, cached_input = input, cache_write = input, output } = said;
  const { cache_write_1h = cache_write, reasoning = output } = said;
  return {
    input: pico(input),
    cached_input: pico(cached_input),
    cache_write: pico(cache_write),
    cache_write_1h: pico(cache_write_1h),
    output: pico(output),
    reasoning: pico(reasoning),
  };
};

/** More tokens than any call has: what providers count is theirs to say. */
const MAX_TOKENS = 1e12;

const whole = (tokens: number | undefined): number =>
  tokens !== undefined && tokens > 0 ? Math.min(MAX_TOKENS, Math.ceil(tokens)) : 0;

/**
 * Each token once. Of the prompt, what was read from a cache or written into one is apart; of the answer, the reasoning.
 * Some providers count reasoning beside the answer and not in it: then the total says so.
 */
export const tokenPartsOf = (usage: Usage): TokenParts => {
  const prompt = whole(usage.prompt_tokens);
  const completion = whole(usage.completion_tokens);
  const cached_input = Math.min(prompt, whole(usage.cached_tokens));
  const written = Math.min(prompt - cached_input, whole(usage.cache_write_tokens));
  const cache_write_1h = Math.min(written, whole(usage.cache_write_1h_tokens));
  const beside = Math.max(0, whole(usage.total_tokens) - prompt - completion);
  const within = beside > 0 ? 0 : Math.min(completion, whole(usage.reasoning_tokens));
  return {
    input: prompt - cached_input - written,
    cached_input,
    cache_write: written - cache_write_1h,
    cache_write_1h,
    output: completion - within,
    reasoning: beside + within,
  };
};

const PICO_A_NANO = 1_000;

/** In nano-dollars, rounded up once: what is used is never free. */
export const costOf = (parts: TokenParts, price: Price): number => {
  const prices = pricesFor(parts, price);
  let sum = 0;
  for (const kind of TOKEN_KINDS) sum += parts[kind] * prices[kind];
  // No part is larger than the sum: where that is exact, all of it was.
  if (sum <= Number.MAX_SAFE_INTEGER) return Math.ceil(sum / PICO_A_NANO);
  return Math.min(MAX_NANO, exactCost(parts, prices));
};

const exactCost = (parts: TokenParts, prices: TokenPrices): number => {
  let sum = 0n;
  for (const kind of TOKEN_KINDS) sum += BigInt(parts[kind]) * BigInt(prices[kind]);
  return Number((sum + 999n) / 1_000n);
};

const pricesFor = (parts: TokenParts, price: Price): TokenPrices => {
  if (price.tiers.length === 0) return price;
  const prompt = parts.input + parts.cached_input + parts.cache_write + parts.cache_write_1h;
  return price.tiers.findLast(({ above }) => prompt > above)?.prices ?? price;
};

/** The most that so many tokens come to, whatever is cached and whatever is reasoning. */
export const mostOf = (prompt: number, answer: number, price: Price): number => {
  const tokens = { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
  const prices = pricesFor(tokenPartsOf(tokens), price);
  const input = Math.max(prices.input, prices.cached_input, prices.cache_write, prices.cache_write_1h);
  const output = Math.max(prices.output, prices.reasoning);
  return costOf(tokenPartsOf(tokens), { ...prices, input, output, tiers: [] });
};

/** A price that somebody set: of the models that a pattern matches, at one provider or at all. */
export type PriceRow = {
  /** A name, or a pattern in which `*` stands for anything. */
  readonly model: string;
  /** A provider's name; null for all. */
  readonly provider: string | null;
  /** Dollars a million tokens. */
  readonly prices: PriceSaid;
};

/** The more a row says of which models it is for, the earlier it counts. */
export const byPrecision = (one: PriceRow, other: PriceRow): number =>
  precisionOf(other) - precisionOf(one) || (one.model < other.model ? -1 : 1);

const MAX_MODEL = 200;

const precisionOf = ({ model, provider }: PriceRow): number =>
  (model.includes("*") ? 0 : 2 * MAX_MODEL) +
  (provider === null ? 0 : MAX_MODEL) +
  Math.min(MAX_MODEL, model.length) -
  1;

/** What is wrong with a row, in words; null for nothing. */
export const priceProblem = ({ model, provider, prices }: PriceRow): { param: string; problem: string } | null => {
  if (!/^[\x21-\x7e]{1,200}$/.test(model)) {
    return {
      param: "model",
      problem: "must be a model name or pattern of visible ASCII characters; * stands for anything",
    };
  }
  if (provider !== null && !/^[a-z0-9][a-z0-9._-]{0,39}$/.test(provider)) {
    return { param: "provider", problem: "must be the name of a provider" };
  }
  for (const kind of TOKEN_KINDS) {
    const price = prices[kind];
    if (price !== undefined && !isPrice(price)) {
      return { param: kind, problem: `must be dollars a million tokens, 0 to ${MAX_PRICE}, with six decimals at most` };
    }
  }
  return null;
};

const isPrice = (price: number): boolean =>
  price >= 0 && price <= MAX_PRICE && Math.abs(pico(price) - price * PICO_A_DOLLAR_A_MILLION) < 1e-3;
