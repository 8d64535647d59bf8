import { GuardError } from "#core/errors";

/** RFC 3339 §5.6, as we write it ourselves and with an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

export const isMoment = (text: string): boolean => TIME.test(text) && !Number.isNaN(Date.parse(text));

/** A time an address names, Unix milliseconds; undefined for none. Throws `invalid_value`. */
export const momentIn = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (isMoment(text)) return Date.parse(text);
  throw new GuardError("invalid_value", `${name} must be a time in RFC 3339, as 2026-11-21T09:30:00Z.`, {
    param: name,
  });
};
