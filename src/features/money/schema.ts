import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "#model/budget";
import { PRICE_PARTS, PricePart } from "#model/price";

const closed = { additionalProperties: false } as const;

const Model = Type.String({ maxLength: 200, description: "A model name; * matches any text." });
const ProviderName = Type.String({ maxLength: 40, description: "Name of a provider." });

export const PriceBody = Type.Object(
  { model: Model, provider: Type.Optional(orNull(ProviderName)), ...PRICE_PARTS },
  { ...closed, $id: "SetPrice", description: "Prices that are left out are those of input or output." },
);
export type PriceBody = Static<typeof PriceBody>;

export const PriceView = Type.Object(
  {
    object: Type.Literal("price"),
    model: Type.String(),
    provider: orNull(Type.String({ description: "Null for all providers." })),
    source: oneOf(
      ["configuration", "set"],
      "`configuration`: `[[prices]]` of the configuration file, which counts before one that was set for the same models.",
    ),
    ...PRICE_PARTS,
  },
  { $id: "Price" },
);
export type PriceView = Static<typeof PriceView>;

/** What a model costs where. */
export const ModelPriceView = Type.Object(
  {
    provider: Type.String(),
    model: Type.String({ description: "The provider's own name of the model." }),
    source: oneOf(
      ["configuration", "set", "built_in", "unpriced"],
      "`built_in`: the price list of the executable; `unpriced`: calls cost an unknown amount.",
    ),
    prices: orNull(
      Type.Object({
        input: PricePart,
        cached_input: PricePart,
        cache_write: PricePart,
        cache_write_1h: PricePart,
        output: PricePart,
        reasoning: PricePart,
      }),
    ),
    tiers: listOf(
      Type.Object({
        above: Type.Number({ description: "Tokens of the prompt." }),
        input: PricePart,
        output: PricePart,
      }),
    ),
  },
  { $id: "ModelPrice" },
);
export type ModelPriceView = Static<typeof ModelPriceView>;

export const ModelPrices = Type.Object(
  { object: Type.Literal("list"), data: listOf(ModelPriceView) },
  { $id: "ModelPrices" },
);

const budget = {
  scope: oneOf(BUDGET_SCOPES),
  subject_id: orNull(Type.String({ maxLength: 64, description: "Id of the user or agent; null for the hub." })),
  period: oneOf(BUDGET_PERIODS, "In UTC; weeks begin on Monday."),
  limit_usd: Type.Number({ minimum: 0, maximum: 1_000_000, description: "US dollars." }),
};

export const BudgetBody = Type.Object(
  { ...budget, subject_id: Type.Optional(budget.subject_id) },
  { ...closed, $id: "SetBudget" },
);
export type BudgetBody = Static<typeof BudgetBody>;

export const BudgetView = Type.Object(
  {
    object: Type.Literal("budget"),
    ...budget,
    subject: orNull(Type.String({ description: "Name of the agent, or e-mail address of the user." })),
    spent_usd: Type.Number({ description: "In the current window." }),
    reserved_usd: Type.Number({ description: "What calls under way may come to." }),
    expected_usd: orNull(
      Type.Number({
        description:
          "Expected at the end of the window: what is spent, and for the rest of it the mean of the last 3 to 7 whole days. Null for users, and before there are three.",
      }),
    ),
    window_start: Moment,
    window_end: Moment,
  },
  { $id: "Budget" },
);
export type BudgetView = Static<typeof BudgetView>;

/** What is spent this month, in UTC, and what will be at its end. */
export const SpendView = Type.Object(
  {
    object: Type.Literal("spend"),
    month_start: Moment,
    month_end: Moment,
    spent_usd: Type.Number({ description: "Since the month began, of calls whose model has a price." }),
    unpriced_calls: Type.Number({ description: "Calls since then whose model has no price." }),
    forecast: orNull(
      Type.Object(
        {
          expected_usd: Type.Number({
            description: "At the end of the month: what is spent, and the mean for the rest.",
          }),
          per_day_usd: Type.Number({ description: "Mean of the last whole days." }),
          days: Type.Number({ description: "How many days make the mean: 3 to 7." }),
        },
        { description: "Null before there are three whole days with calls." },
      ),
    ),
  },
  { $id: "Spend" },
);
export type SpendView = Static<typeof SpendView>;
