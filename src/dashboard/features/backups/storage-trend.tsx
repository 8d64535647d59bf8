import type { AnswerTo } from "#dashboard/api/client";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useGet } from "#dashboard/parts/hooks";
import { bytesOf, countOf, LOCALE } from "#dashboard/parts/numbers";
import { Await } from "#dashboard/parts/states";
import { TimeChart } from "#dashboard/parts/time-chart";

type History = AnswerTo<"GET /api/storage">;
type Sizes = History["now"];

const WEEK = 7;
/** Days to the full disk from which on somebody should look. */
const SOON = 30;
/** How many days a unit has, and from how many of them on it is spoken in. */
const UNITS = [
  { name: "year", days: 365, from: 730 },
  { name: "month", days: 30.4, from: 60 },
  { name: "week", days: WEEK, from: 14 },
] as const;
const MAX_DAYS = 3_650;

/** `8 months`, from days. */
const spanOfDays = (days: number): string => {
  if (days > MAX_DAYS) return "more than ten years";
  const unit = UNITS.find(({ from }) => days >= from);
  return unit ? `about ${countOf(Math.round(days / unit.days), unit.name)}` : countOf(days, "day");
};

/** `grows 1.2 GB a week; 41 GB free: about 8 months`. */
const wordsOf = ({ trend, now, every_hours }: History): string => {
  const free = `${bytesOf(now.disk_free_bytes)} free`;
  if (!trend) return `${free}. The trend is shown after one day of samples, one every ${every_hours} hours.`;
  if (trend.days_left === null) return `No growth in ${countOf(trend.measured_days, "day")}; ${free}.`;
  return `Growth ${bytesOf(trend.bytes_per_day * WEEK)} per week; ${free}: full in ${spanOfDays(trend.days_left)} at this rate.`;
};

const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" });
const dayOf = ({ at }: Sizes): string => day.format(new Date(at));

/** The last of each day. */
const byDay = (samples: readonly Sizes[]): Sizes[] => [
  ...new Map(samples.map((sample) => [dayOf(sample), sample])).values(),
];

const LINES = [
  { name: "Database", colour: "--chart-1", key: "database_bytes" },
  { name: "Backups", colour: "--chart-2", key: "backup_bytes" },
  { name: "Search index", colour: "--chart-3", key: "index_bytes" },
] as const;

const Trend = ({ history }: { readonly history: History }) => {
  const all = byDay([...history.samples, history.now]);
  const summary = wordsOf(history);
  // One value a day is no line yet.
  if (!history.trend || all.length < 2) return <p className="text-muted">{summary}</p>;
  return (
    <TimeChart
      summary={summary}
      starts={all.map(({ at }) => Date.parse(at))}
      end={Date.parse(history.now.at)}
      series={LINES.map(({ name, colour, key }) => ({
        name,
        colour,
        kind: "line" as const,
        values: all.map((one) => one[key]),
      }))}
      format={bytesOf}
      height={160}
      whole={false}
    />
  );
};

/** How the disk fills, in a line and in words. For those who look after the hub. */
export const StorageTrend = () => {
  const storage = useGet("GET /api/storage", {});
  const trend = storage.data?.trend;
  const left = trend?.days_left ?? null;
  const isSoon = left !== null && left < SOON;
  return (
    <Card
      title="Disk"
      hint={`Database and backups${trend ? `, over ${countOf(trend.measured_days, "day")}` : ""}.`}
      actions={isSoon && <Chip tone="bad">{`full in ${countOf(left, "day")}`}</Chip>}
    >
      <Await query={storage}>{(history) => <Trend history={history} />}</Await>
    </Card>
  );
};
