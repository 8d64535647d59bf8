import type { AnswerTo } from "#dashboard/api/client";
import { Card } from "#dashboard/parts/card";
import { useGet } from "#dashboard/parts/hooks";
import { countOf, LOCALE, usdOf } from "#dashboard/parts/numbers";
import { Await } from "#dashboard/parts/states";

type Spend = AnswerTo<"GET /api/spend">;

const MINUTES_MS = 300_000;
const monthName = new Intl.DateTimeFormat(LOCALE, { month: "long", timeZone: "UTC" });
const dayName = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" });

/** How it is computed is said with it: a number alone would be believed too much. */
const forecastText = ({ forecast }: Spend): string =>
  forecast === null
    ? "A forecast is shown after three whole days with calls."
    : `Spent so far, and ${usdOf(forecast.per_day_usd)} a day for the rest of the month: the mean of the last ${countOf(forecast.days, "whole day")}.`;

const Month = ({ spend }: { readonly spend: Spend }) => {
  const { spent_usd, forecast, month_end, unpriced_calls } = spend;
  // The last day of the month, not the first of the next.
  const last = dayName.format(Date.parse(month_end) - 1);
  return (
    <div className="flex flex-col gap-2">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <div>
          <dt className="text-[13px] text-muted">Spent so far</dt>
          <dd className="text-2xl font-semibold tracking-tight">{usdOf(spent_usd)}</dd>
        </div>
        {forecast && (
          <div>
            <dt className="text-[13px] text-muted">Expected by {last}</dt>
            <dd className="text-2xl font-semibold tracking-tight">≈ {usdOf(forecast.expected_usd)}</dd>
          </div>
        )}
      </dl>
      <p className="text-[13px] text-muted">
        {forecastText(spend)}
        {unpriced_calls > 0 && ` ${countOf(unpriced_calls, "call")} without a price are not in it.`}
      </p>
    </div>
  );
};

/** What this month's calls cost, and what they will have cost at its end. */
export const SpendCard = () => {
  const spend = useGet("GET /api/spend", {}, { everyMs: MINUTES_MS });
  const title = spend.data ? `Spend in ${monthName.format(Date.parse(spend.data.month_start))}` : "Spend this month";
  return (
    <Card title={title} hint="In US dollars, by UTC.">
      <Await query={spend} lines={2}>
        {(data) => <Month spend={data} />}
      </Await>
    </Card>
  );
};
