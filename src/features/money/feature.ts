import type { Dispatcher } from "#guard/dispatcher";
import type { PriceBook } from "#guard/money/prices";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PriceRow } from "#model/price";
import type { AgentStore, UserStore } from "#store/port";
import { BudgetService } from "./budget-service";
import { moneyRoutes } from "./endpoints";
import { PriceService, pricesOfModel } from "./price-service";

type PriceParts = Omit<NeedsOf<typeof PriceService>, "configured"> & { readonly configuredPrices: readonly PriceRow[] };
type BudgetParts = Omit<NeedsOf<typeof BudgetService>, "agent" | "user"> & {
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "byId">;
};
type RouteParts = PersonRouteParts & {
  readonly priceService: PriceService;
  readonly budgetService: BudgetService;
  readonly dispatcher: Dispatcher;
  readonly priceBook: PriceBook;
};

/** Prices and budgets, as people set them. */
export const moneySettings = feature({
  provides: {
    priceService: ({ prices, configuredPrices: configured, now, ids }: PriceParts) =>
      new PriceService({ prices, configured, now, ids }),
    budgetService: ({ budgets, agents, users, now, ids }: BudgetParts) =>
      new BudgetService({ budgets, agent: (id) => agents.byId(id), user: (id) => users.byId(id), now, ids }),
  },
  routes: (c: RouteParts) => [
    moneyRoutes({
      ...personRoutes(c),
      prices: c.priceService,
      budgets: c.budgetService,
      pricesOfModel: pricesOfModel(c),
    }),
  ],
});
