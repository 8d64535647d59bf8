import type { Dispatcher } from "#guard/dispatcher";
import type { PriceBook } from "#guard/money/prices";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { PriceRow } from "#model/price";
import type { AgentStore, UserStore } from "#store/port";
import { BudgetService } from "./budget-service";
import { moneyRoutes } from "./endpoints";
import { PriceService, pricesOfModel } from "./price-service";
import { SpendService } from "./spend-service";

type PriceParts = Omit<NeedsOf<typeof PriceService>, "configured"> & { readonly configuredPrices: readonly PriceRow[] };
type SpendParts = Omit<NeedsOf<typeof SpendService>, "agents"> & {
  readonly principals: PrincipalCache;
};
type BudgetParts = Omit<NeedsOf<typeof BudgetService>, "agent" | "user" | "spend"> & {
  readonly spendService: SpendService;
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "byId">;
};
type RouteParts = PersonRouteParts & {
  readonly priceService: PriceService;
  readonly budgetService: BudgetService;
  readonly spendService: SpendService;
  readonly dispatcher: Dispatcher;
  readonly priceBook: PriceBook;
};

/** Prices and budgets, as people set them. */
export const moneySettings = feature({
  provides: {
    priceService: ({ prices, configuredPrices: configured, now, ids }: PriceParts) =>
      new PriceService({ prices, configured, now, ids }),
    spendService: ({ calls, principals, now }: SpendParts) =>
      new SpendService({ calls, agents: () => principals.allAgents(), now }),
    budgetService: ({ budgets, agents, users, spendService: spend, now, ids }: BudgetParts) =>
      new BudgetService({ budgets, agent: (id) => agents.byId(id), user: (id) => users.byId(id), spend, now, ids }),
  },
  routes: (c: RouteParts) => [
    moneyRoutes({
      ...personRoutes(c),
      prices: c.priceService,
      budgets: c.budgetService,
      spend: c.spendService,
      pricesOfModel: pricesOfModel(c),
    }),
  ],
});
