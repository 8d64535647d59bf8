import { GuardError } from "#core/errors";

/** RFC 3339 §5.6, as we write it ourselves and with an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Unix milliseconds; not a number for what is no time, nor for a day that its month does not have. */
export const momentOf = (text: string): number => {
  const [year = 0, month = 0, day = 0] = text.split(/\D/, 3).map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return TIME.test(text) && day <= daysOfMonth ? Date.parse(text) : Number.NaN;
};

/** A time an address names, Unix milliseconds; undefined for none. Throws `invalid_value`. */
export const momentIn = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const moment = momentOf(text);
  if (Number.isFinite(moment)) return moment;
  throw new GuardError("invalid_value", `${name} must be a time in RFC 3339, such as 2026-11-21T09:30:00Z.`, {
    param: name,
  });
};
