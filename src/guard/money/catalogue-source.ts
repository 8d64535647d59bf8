import type { findProvider, MatchLogic, ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import { type Price, type PriceSaid, TOKEN_KINDS, type TokenKind, tokenPricesOf } from "#model/price";
import type { CatalogueModel, CatalogueProvider, DatedPrice, Match } from "./dated-prices";

/* What of the package's price list the hub keeps: prices of text by the token, of who sells tokens by an API. */

const PROVIDERS =
  `anthropic arcee avian aws azure baseten cerebras cloudflare cohere deepseek doubleword fireworks google
  groq minimax mistral moonshotai novita openai openrouter ovhcloud perplexity together voyageai x-ai zai zhipuai`.split(
    /\s+/,
  );

const PRICE_KEYS: Readonly<Record<TokenKind, string>> = {
  input: "input_mtok",
  cached_input: "cache_read_mtok",
  cache_write: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
  output: "output_mtok",
  reasoning: "output_reasoning_mtok",
};

type Package = { readonly findProvider: typeof findProvider };

/** By a name that the build does not follow: the executable has the table instead. */
const required = (name: string): Package => import.meta.require(name);

export const readCatalogue = (): readonly CatalogueProvider[] => {
  const prices = required("@pydantic/genai-prices");
  return PROVIDERS.map((id) => {
    const provider = prices.findProvider({ providerId: id });
    if (!provider) throw new Error(`The price list has no provider ${id}`);
    const models = provider.models.flatMap((model) => modelOf(model) ?? []);
    return { id, url: provider.api_pattern, others: provider.fallback_model_providers ?? [], models };
  });
};

/** Null for one that is not sold by the token. */
const modelOf = ({ id, match, prices }: ModelInfo): CatalogueModel | null => {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  const dated = list.flatMap(({ prices: of, ...rest }): DatedPrice[] => {
    const price = priceOf(of);
    if (price === null) return [];
    const constraint = "constraint" in rest ? rest.constraint : undefined;
    if (constraint === undefined) return [{ price }];
    if (constraint.type === "start_date") return [{ price, from: Date.parse(constraint.start_date) }];
    return [{ price, daily: [secondsOf(constraint.start_time), secondsOf(constraint.end_time)] }];
  });
  return dated.length === 0 ? null : { id, match: matchOf(match), prices: dated };
};

/** `16:30:00Z` in seconds after midnight, UTC. */
const secondsOf = (time: string): number => (Date.parse(`1970-01-01T${time}`) / 1_000) % 86_400;

const priceOf = (of: ModelPrice): Price | null => {
  const starts = new Set(
    Object.values(of)
      .flatMap((one) => (typeof one === "object" ? one.tiers : []))
      .map(({ start }) => start),
  );
  const base = saidAt(of, 0);
  if (base === null) return null;
  const tiers = [...starts]
    .sort((one, other) => one - other)
    .flatMap((above) => {
      const said = saidAt(of, above + 1);
      return said === null ? [] : [{ above, prices: tokenPricesOf(said) }];
    });
  return { ...tokenPricesOf(base), tiers };
};

/** What a call of so many prompt tokens is charged; null where tokens of the prompt have no price. */
const saidAt = (of: ModelPrice, prompt: number): PriceSaid | null => {
  const said = new Map<TokenKind, number>();
  for (const kind of TOKEN_KINDS) {
    const price = of[PRICE_KEYS[kind]];
    if (typeof price === "number") said.set(kind, price);
    else if (price) said.set(kind, price.tiers.findLast(({ start }) => prompt > start)?.price ?? price.base);
  }
  const input = said.get("input");
  // Without a price of its own an answer is a vector, or nothing.
  return input === undefined ? null : { ...Object.fromEntries(said), input, output: said.get("output") ?? 0 };
};

const matchOf = (match: MatchLogic): Match => {
  if ("or" in match) return { or: match.or.map(matchOf) };
  if ("and" in match) return { and: match.and.map(matchOf) };
  if ("regex" in match) return match;
  const [[how, text] = ["equals", ""]] = Object.entries(match);
  const lower = String(text).toLowerCase();
  if (how === "starts_with") return { starts_with: lower };
  if (how === "ends_with") return { ends_with: lower };
  return how === "contains" ? { contains: lower } : { equals: lower };
};
