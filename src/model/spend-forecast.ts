/*
 * What a period will have cost at its end: what is spent, and for what is left of it the mean of the last whole days. Sums are
 * nano-dollars, moments Unix milliseconds, days those of UTC, as those of budgets.
 */

const DAY_MS = 86_400_000;
/** So many of the last whole days make the mean, so that each day of the week is in it once. */
export const FORECAST_DAYS = 7;
/** Of fewer nobody can tell a rate. */
export const MIN_FORECAST_DAYS = 3;

/** What was spent on a day that begins then. Days without costs may be left out. */
export type DaySpend = { readonly day: number; readonly nano: number };

/** The mean of some of the last whole days. */
export type SpendRate = { readonly days: number; readonly nanoPerDay: number };

/**
 * Null before enough whole days have gone by: the first day of which anything is known is none, nor is today. A day without
 * costs between them counts as one.
 */
export const rateOf = (spends: readonly DaySpend[], now: number): SpendRate | null => {
  const today = now - (now % DAY_MS);
  const first = spends.reduce((earliest, { day }) => Math.min(earliest, day), Number.POSITIVE_INFINITY);
  const days = Math.min(FORECAST_DAYS, (today - first) / DAY_MS - 1);
  if (!(days >= MIN_FORECAST_DAYS)) return null;
  const since = today - days * DAY_MS;
  const sum = spends.reduce((all, { day, nano }) => (day >= since && day < today ? all + nano : all), 0);
  return { days, nanoPerDay: sum / days };
};

/** In whole nano-dollars; never less than is spent. */
export const expectedAt = (
  end: number,
  { spent, now }: { readonly spent: number; readonly now: number },
  rate: SpendRate,
) => spent + Math.round(rate.nanoPerDay * (Math.max(0, end - now) / DAY_MS));
