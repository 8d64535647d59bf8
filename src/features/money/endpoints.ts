import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { oneOf, pageSchema } from "#http/openapi/schemas";
import { whole } from "#http/page";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "#model/budget";
import { personActor } from "#model/change";
import type { BudgetService } from "./budget-service";
import { type PriceService, rowOf } from "./price-service";
import { BudgetBody, BudgetView, ModelPrices, type ModelPriceView, PriceBody, PriceView, SpendView } from "./schema";
import type { SpendService } from "./spend-service";

type MoneyEndpointNeeds = {
  readonly prices: PriceService;
  readonly budgets: BudgetService;
  readonly spend: SpendService;
  readonly pricesOfModel: (model: string) => readonly ModelPriceView[];
};

const ADMIN: Audience = { roles: ["admin"] };

const missing = (param: string): GuardError => new GuardError("invalid_value", `${param} is missing.`, { param });

/** Prices and budgets: everybody may see prices, administrators change both. */
const moneyEndpoints = ({ prices, budgets, spend, pricesOfModel }: MoneyEndpointNeeds) =>
  [
    endpoint("GET /api/prices", {
      summary: "List prices that were set or configured",
      answers: { 200: pageSchema(PriceView) },
      handler: async () => whole(await prices.list()),
    }),
    endpoint("GET /api/prices/model", {
      summary: "Get what a model costs at each provider",
      query: { model: Type.String({ maxLength: 256, description: "Name of a model." }) },
      answers: { 200: ModelPrices },
      handler: ({ query: { model } }) => {
        if (model === undefined) throw missing("model");
        return { object: "list" as const, data: pricesOfModel(model) };
      },
    }),
    endpoint("PUT /api/prices", {
      summary: "Set the price of a model or pattern",
      auth: ADMIN,
      body: PriceBody,
      answers: { 200: PriceView },
      errors: ["state_conflict"],
      handler: ({ person, body }) => prices.set(personActor(person), rowOf(body)),
    }),
    endpoint("DELETE /api/prices", {
      summary: "Remove a price that was set",
      auth: ADMIN,
      query: {
        model: Type.String({ maxLength: 200, description: "As it was set." }),
        provider: Type.String({ maxLength: 40, description: "As it was set; not given for all providers." }),
      },
      answers: { 200: PriceView },
      errors: ["not_found", "state_conflict"],
      handler: ({ person, query: { model, provider = null } }) => {
        if (model === undefined) throw missing("model");
        return prices.remove(personActor(person), { model, provider });
      },
    }),
    endpoint("GET /api/spend", {
      summary: "Get what is spent this month, and what is expected at its end",
      answers: { 200: SpendView },
      handler: ({ person }) => spend.monthOf(person.user),
    }),
    endpoint("GET /api/budgets", {
      summary: "List budgets and what is spent",
      answers: { 200: pageSchema(BudgetView) },
      handler: async ({ person }) => whole(await budgets.seenBy(person.user)),
    }),
    endpoint("PUT /api/budgets", {
      summary: "Set a budget",
      auth: ADMIN,
      body: BudgetBody,
      answers: { 200: BudgetView },
      errors: ["not_found", "state_conflict"],
      handler: ({ person, body: { scope, subject_id, period, limit_usd } }) =>
        budgets.set(personActor(person), { scope, subject_id: subject_id ?? "", period }, limit_usd),
    }),
    endpoint("DELETE /api/budgets", {
      summary: "Remove a budget",
      auth: ADMIN,
      query: {
        scope: oneOf(BUDGET_SCOPES),
        subject_id: Type.String({ maxLength: 64, description: "Id of the user or agent; not given for the hub." }),
        period: oneOf(BUDGET_PERIODS),
      },
      answers: { 200: BudgetView },
      errors: ["not_found"],
      handler: ({ person, query: { scope, subject_id = "", period } }) => {
        if (scope === undefined) throw missing("scope");
        if (period === undefined) throw missing("period");
        return budgets.remove(personActor(person), { scope, subject_id, period });
      },
    }),
  ] as const;

export type MoneyClient = ClientTypes<ReturnType<typeof moneyEndpoints>[number]>;

export const moneyRoutes = (needs: MoneyEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Money" }, moneyEndpoints(needs));
