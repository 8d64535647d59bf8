import { BudgetLimiter } from "#guard/money/budgets";
import { Catalogue } from "#guard/money/catalogue";
import { PriceBook } from "#guard/money/prices";
import type { PriceOf, PriceRow } from "#model/price";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { BudgetStore } from "#store/money-port";
import { feature } from "./feature";

/** How often what calls cost is written that could not be. */
const WRITE_MS = 5_000;
const FORGET_MS = 86_400_000;

type PriceParts = {
  readonly configuredPrices: readonly PriceRow[];
  readonly builtIn: readonly { readonly name: string }[];
  readonly now: Clock;
};
type BudgetParts = {
  readonly budgets: BudgetStore;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};
type Money = { readonly priceBook: PriceBook; readonly budgetLimiter: BudgetLimiter };

/** What calls cost, and how much they may. */
export const money = feature({
  provides: {
    priceBook: ({ configuredPrices: configured, builtIn, now }: PriceParts) =>
      new PriceBook({ configured, builtIn, catalogue: new Catalogue(), now }),
    priceOf:
      (c: Pick<Money, "priceBook">): PriceOf =>
      (provider, model) =>
        c.priceBook.priceOf(provider, model),
    budgetLimiter: ({ budgets, now, ids, log }: BudgetParts) =>
      new BudgetLimiter({ budgets, now, ids, onFault: (error) => log.error("budgets.not_written", causeOf(error)) }),
  },
  onChange: ({ priceBook, budgetLimiter }: Money) => ({
    apply(changes) {
      priceBook.apply(changes);
      budgetLimiter.apply(changes);
    },
  }),
  jobs: ({ budgetLimiter }: Money) => [
    { name: "budgets", everyMs: WRITE_MS, run: () => budgetLimiter.write() },
    { name: "old budgets", everyMs: FORGET_MS, run: () => budgetLimiter.forget() },
  ],
  stop:
    ({ budgetLimiter }: Money) =>
    () =>
      budgetLimiter.write(),
});
