import { GuardError } from "#core/errors";
import type { FoundPrice, PriceBook } from "#guard/money/prices";
import { type Actor, changeRecord } from "#model/change";
import { type PriceRow, priceProblem, TOKEN_KINDS, type TokenPrices, usdAMillion } from "#model/price";
import type { ModelAliases } from "#model/provider";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { PriceStore } from "#store/money-port";
import type { ModelPriceView, PriceView } from "./schema";

type PriceServiceNeeds = {
  readonly prices: PriceStore;
  /** `[[prices]]`. */
  readonly configured: readonly PriceRow[];
  readonly now: Clock;
  readonly ids: Ids;
};

const MAX_PRICES = 2_000;

/** Prices that people set. */
export class PriceService {
  constructor(private readonly deps: PriceServiceNeeds) {}

  /** Those of the configuration first. */
  async list(): Promise<PriceView[]> {
    const shown = (source: PriceView["source"]) => (row: PriceRow) => shownPrice(row, source);
    return [...this.deps.configured.map(shown("configuration")), ...(await this.deps.prices.list()).map(shown("set"))];
  }

  /** Throws `invalid_value`; `state_conflict` for models whose price is in the configuration, or when there are too many. */
  async set(by: Actor, row: PriceRow): Promise<PriceView> {
    const problem = priceProblem(row);
    if (problem !== null) {
      const { param } = problem;
      throw new GuardError("invalid_value", `The ${param.replaceAll("_", " ")} ${problem.problem}`, { param });
    }
    this.checkConfigured(row);
    const { model, provider, prices } = row;
    const record = this.record(by, "price.set", model, { model, provider, ...prices });
    if (!(await this.deps.prices.put(row, record, MAX_PRICES))) {
      throw new GuardError("state_conflict", `The limit of ${MAX_PRICES} prices is reached. Remove one first.`);
    }
    return shownPrice(row, "set");
  }

  /** Throws `not_found`, `state_conflict`. */
  async remove(by: Actor, row: Pick<PriceRow, "model" | "provider">): Promise<PriceView> {
    this.checkConfigured(row);
    const { model, provider } = row;
    const known = (await this.deps.prices.list()).find((one) => one.model === model && one.provider === provider);
    const record = this.record(by, "price.remove", model, { model, provider });
    if (known && (await this.deps.prices.remove(row, record))) return shownPrice(known, "set");
    throw new GuardError("not_found", "There is no price for these models.", { param: "model" });
  }

  private checkConfigured({ model, provider }: Pick<PriceRow, "model" | "provider">): void {
    if (!this.deps.configured.some((one) => one.model === model && one.provider === provider)) return;
    throw new GuardError(
      "state_conflict",
      "The price of these models is set in the configuration file: change it there.",
    );
  }

  private record(by: Actor, kind: string, model: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind, by, subject: "price", subject_id: model, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

type ModelPriceNeeds = {
  /** Says who serves a model. */
  readonly dispatcher: { route(model: string): readonly { readonly name: string; readonly aliases?: ModelAliases }[] };
  readonly priceBook: Pick<PriceBook, "find">;
};

/** What a model costs at each provider that serves it, in the order they are asked in. */
export const pricesOfModel =
  ({ dispatcher, priceBook }: ModelPriceNeeds) =>
  (model: string): ModelPriceView[] =>
    dispatcher.route(model).map(({ name, aliases = {} }) => {
      const own = Object.hasOwn(aliases, model) ? (aliases[model] ?? model) : model;
      return shownFound(name, own, priceBook.find(name, own));
    });

const shownPrice = ({ model, provider, prices }: PriceRow, source: PriceView["source"]): PriceView => ({
  object: "price",
  model,
  provider,
  source,
  ...prices,
});

const inDollars = (prices: TokenPrices): Record<keyof TokenPrices, number> => ({
  input: usdAMillion(prices.input),
  cached_input: usdAMillion(prices.cached_input),
  cache_write: usdAMillion(prices.cache_write),
  cache_write_1h: usdAMillion(prices.cache_write_1h),
  output: usdAMillion(prices.output),
  reasoning: usdAMillion(prices.reasoning),
});

const shownFound = (provider: string, model: string, found: FoundPrice | null): ModelPriceView => {
  if (found === null) return { provider, model, source: "unpriced", prices: null, tiers: [] };
  const { source, price } = found;
  const tiers = price.tiers.map(({ above, prices }) => {
    const { input, output } = inDollars(prices);
    return { above, input, output };
  });
  return { provider, model, source, prices: inDollars(price), tiers };
};

/** Of what was asked for, the row. */
export const rowOf = ({
  model,
  provider = null,
  ...prices
}: Omit<PriceRow, "provider" | "prices"> & { readonly provider?: string | null } & PriceRow["prices"]): PriceRow => {
  const { input, output } = prices;
  const others = TOKEN_KINDS.flatMap((kind) => (prices[kind] === undefined ? [] : [[kind, prices[kind]] as const]));
  return { model, provider, prices: { ...Object.fromEntries(others), input, output } };
};
