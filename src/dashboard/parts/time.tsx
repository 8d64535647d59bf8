import { useEffect, useState } from "react";
import { LOCALE } from "./numbers";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto", style: "long" });
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

const ago = (ms: number): string | null => {
  const size = Math.abs(ms);
  if (size < MINUTE) return ms >= 0 ? "in a moment" : "just now";
  // Up to where rounding would make 60 minutes or 24 hours of it.
  if (size < 59.5 * MINUTE) return relative.format(Math.round(ms / MINUTE), "minute");
  if (size < 23.5 * HOUR) return relative.format(Math.round(ms / HOUR), "hour");
  if (size < 30 * DAY) return relative.format(Math.round(ms / DAY), "day");
  return null;
};

/** A time as the viewer's clock has it: near ones by distance, all of them exactly, with UTC, when pointed at. */
export const Time = ({ at, plain = false }: { readonly at: string | null | undefined; readonly plain?: boolean }) => {
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span className="text-muted">never</span>;
  const date = new Date(at);
  const text = (plain ? null : ago(date.getTime() - Date.now())) ?? short.format(date);
  return (
    <time
      dateTime={at}
      title={`${exact.format(date)} · ${at.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")}`}
      className="whitespace-nowrap"
    >
      {text}
    </time>
  );
};

const DATE = { day: "numeric", month: "short" } as const;
const day = new Intl.DateTimeFormat(LOCALE, DATE);
const dayOfYear = new Intl.DateTimeFormat(LOCALE, { ...DATE, year: "numeric" });
const clock = new Intl.DateTimeFormat(LOCALE, {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  ...{ fractionalSecondDigits: 3, hourCycle: "h23" },
});
const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "longOffset" });

/** `UTC+01:00`: how far the viewer's clock is from UTC at that time. */
const offsetAt = (at: Date): string =>
  zone
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")
    ?.value.replace("GMT", "UTC")
    .replace("+00:00", "") ?? "UTC";

/** `Europe/Berlin, UTC+01:00`. */
export const zoneName = (): string => {
  const { timeZone } = zone.resolvedOptions();
  const offset = offsetAt(new Date());
  return timeZone === offset ? offset : `${timeZone}, ${offset}`;
};

/** A time to the millisecond, as the viewer's clock has it: `22 Nov 14:16:07.204`, with the year where it is another. */
export const exactTime = (at: string): string => {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return `${(isThisYear ? day : dayOfYear).format(date)} ${clock.format(date)}`;
};

/** The same; how long ago that was, and UTC, when pointed at. */
export const ExactTime = ({ at }: { readonly at: string }) => (
  <time
    dateTime={at}
    title={`${ago(Date.parse(at) - Date.now()) ?? offsetAt(new Date(at))} · ${at.replace("T", " ").replace("Z", " UTC")}`}
    className="whitespace-nowrap"
  >
    {exactTime(at)}
  </time>
);

/** `1_234` ms as people read it. */
export const spanOf = (ms: number): string => {
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`;
};
