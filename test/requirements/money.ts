import type { Requirement } from "./requirement";

/** What is promised of what calls cost, and of how much they may. */
export const MONEY: readonly Requirement[] = [
  {
    id: "money.arithmetic",
    promise:
      "Costs are whole nano-dollars: sums of parts are exact, in any order the same, and never less than what was used.",
    source: "docs/money.md#how-a-cost-is-computed",
  },
  {
    id: "money.prices",
    promise:
      "A price that is configured or set takes the place of the built-in one; a model without a price is unpriced.",
    source: "docs/money.md#prices",
  },
  {
    id: "money.calls",
    promise:
      "The record of each call of a model says what it cost, on all APIs, whole and streamed; cut-off streams are estimated.",
    source: "docs/money.md#how-a-cost-is-computed",
  },
  {
    id: "money.figures",
    promise: "Costs are in calls, overview, metrics and exports, and they are the sum of the calls' own.",
    source: "docs/money.md#where-costs-are-shown",
  },
  {
    id: "money.budgets",
    promise:
      "A call that would exceed a budget is refused with insufficient_quota in its API's shape, and not tried again.",
    source: "docs/money.md#budgets",
  },
  {
    id: "money.budgets-exact",
    promise: "However many processes spend of one budget at once, they never pass it, and nobody is refused below it.",
    source: "docs/money.md#what-is-exact",
  },
  {
    id: "money.windows",
    promise: "Days, weeks and months are windows of their own, in UTC: nothing is ever reset.",
    source: "docs/money.md#budgets",
  },
  {
    id: "money.warnings",
    promise: "At 75 % and 95 % of a budget one webhook event is sent, and answers carry a header.",
    source: "docs/money.md#warnings",
  },
  {
    id: "money.unpriced",
    promise: "Under a budget a model without a price is refused, and the message says how to set one.",
    source: "docs/money.md#budgets",
  },
  {
    id: "money.forecast",
    promise:
      "What a month or a budget's window will have cost is what is spent and the mean of the last whole days for the rest, shown once there are three, and said so.",
    source: "docs/money.md#forecast",
  },
  {
    id: "money.crash",
    promise: "A call that a crash ended has the estimated cost of what was sent by then in its record.",
    source: "docs/money.md#how-a-cost-is-computed",
  },
  {
    id: "money.profile",
    promise: "A profile's budgets limit its agent as those that are set for it do; the lower of both applies.",
    source: "docs/money.md#budgets",
  },
];
