import type { BudgetPeriod, BudgetScope } from "#model/budget";
import type { ColumnKit } from "./columns";

/** What calls cost and may cost. Amounts are nano-dollars. */
export const money = (kit: ColumnKit) => ({
  price: kit.table(
    "price",
    {
      model: kit.text().notNull(),
      /** Empty for all providers. */
      provider: kit.text().notNull(),
      prices: kit.json().notNull(),
      changed: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.model, it.provider] })],
  ),

  budget: kit.table(
    "budget",
    {
      scope: kit.text<BudgetScope>().notNull(),
      subject_id: kit.text().notNull(),
      period: kit.text<BudgetPeriod>().notNull(),
      amount: kit.integer().notNull(),
      changed: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.scope, it.subject_id, it.period] })],
  ),

  /** By window and process: each process writes its own. */
  budgetSpent: kit.table(
    "budget_spent",
    {
      name: kit.text().notNull(),
      node: kit.text().notNull(),
      epoch: kit.integer().notNull(),
      start: kit.integer().notNull(),
      spent: kit.integer().notNull(),
      reserved: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.name, it.node, it.epoch] })],
  ),

  budgetWarning: kit.table(
    "budget_warning",
    { name: kit.text().notNull(), percent: kit.integer().notNull(), start: kit.integer().notNull() },
    (it) => [kit.primaryKey({ columns: [it.name, it.percent] })],
  ),
});
