import { usage } from "./exit";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_PERIOD_MS = 100 * 365 * 86_400_000;

/** `90d`, `24h`, `30m`, `10s` → milliseconds. `0` needs no unit. Throws a usage `Stop`. */
export const parseDuration = (text: string, flag: string): number => {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text === "0" ? "0s" : text) ?? [];
  const ms = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (!(ms <= MAX_PERIOD_MS)) throw usage(`--${flag}: expected a duration such as 90d, 24h, 30m or 10s, got "${text}"`);
  return ms;
};

/** RFC 3339 time, a date (its first moment in UTC), or a duration that lies back from now. Throws a usage `Stop`. */
export const parseMoment = (text: string, flag: string, now: number): number => {
  if (/^\d{1,9}[smhd]$/.test(text)) return now - parseDuration(text, flag);
  const isTime = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d))?$/.test(text);
  // Without an offset a time is UTC, as every time we print.
  const zoned = /[T ]/i.test(text) && !/(z|[+-]\d\d:\d\d)$/i.test(text) ? `${text}Z` : text;
  const moment = isTime ? Date.parse(zoned.replace(" ", "T").toUpperCase()) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw usage(
      `--${flag}: expected a time such as 2026-11-20T08:00:00Z, a date, or a duration back from now such as 24h, got "${text}"`,
    );
  }
  return moment;
};

/** `2026-11-20 08:00:00`, UTC: what tables show. */
export const shortTime = (ms: number | null): string =>
  ms === null ? "never" : new Date(ms).toISOString().slice(0, 19).replace("T", " ");
