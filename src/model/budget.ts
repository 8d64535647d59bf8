/* How much may be spent: by one agent, by one user's tokens, or by all of the hub, in a day, a week or a month (UTC). */

export const BUDGET_SCOPES = ["hub", "user", "agent"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

export const BUDGET_PERIODS = ["day", "week", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export type BudgetName = {
  readonly scope: BudgetScope;
  /** The id of the user or agent; empty for the hub. */
  readonly subject_id: string;
  readonly period: BudgetPeriod;
};

export type Budget = BudgetName & {
  /** Nano-dollars. */
  readonly limit: number;
};

/** What a profile says its agent may spend. */
export type ProfileBudget = Pick<BudgetName, "period"> & { readonly limit_usd: number };

/** Of budgets of one subject the lowest of each period, in the order of periods. */
export const lowestBudgets = (budgets: readonly Budget[]): Budget[] =>
  BUDGET_PERIODS.flatMap((period) => {
    const of = budgets.filter((one) => one.period === period);
    const [first, ...others] = of;
    return first ? [others.reduce((least, one) => (one.limit < least.limit ? one : least), first)] : [];
  });

/** Shares of a budget, in percent, at which people are warned. Highest first. */
export const WARN_AT = [95, 75] as const;

/** The highest that is reached; 0 for none. */
export const warnedAt = (spent: number, limit: number): number =>
  WARN_AT.find((percent) => spent >= shareOf(limit, percent)) ?? 0;

/** Rounded up, in whole nano-dollars. */
const shareOf = (limit: number, percent: number): number => limit - Math.floor((limit / 100) * (100 - percent));

const DAY_MS = 86_400_000;
/** 1970 began on a Thursday. */
const SINCE_MONDAY_MS = 3 * DAY_MS;

/** When the window begins that a moment is in, Unix milliseconds. Weeks begin on Monday. */
export const windowStart = (period: BudgetPeriod, at: number): number => {
  if (period === "day") return at - (at % DAY_MS);
  if (period === "week") return at - ((at + SINCE_MONDAY_MS) % (7 * DAY_MS));
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
};

export const windowEnd = (period: BudgetPeriod, start: number): number => {
  if (period !== "month") return start + (period === "day" ? DAY_MS : 7 * DAY_MS);
  const day = new Date(start);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
};

/** Names one window of a budget: a new one is another, so that nothing is ever reset. */
export const windowName = ({ scope, subject_id, period }: BudgetName, start: number): string =>
  `${scope}/${subject_id}/${period}/${start}`;
