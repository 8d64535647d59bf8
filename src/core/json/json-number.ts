/*
 * Numbers of JSON texts as they were written. A double holds 53 bits: `1326712345678901237` becomes another number,
 * `1.0` and `1E400` other texts. A number that would not be written back digit for digit is kept as `JSON.rawJSON` of
 * its source instead (https://tc39.es/proposal-json-parse-with-source/); `JSON.stringify` writes it as it came.
 */

/** A number that no double can be written back as. Made by the parsers of `#core/json-reader` alone. */
export type ExactNumber = { readonly rawJSON: string };

declare global {
  interface JSON {
    rawJSON(source: string): ExactNumber;
    /** Missing in browsers older than 2025, where nothing makes such values either. */
    isRawJSON?(value: unknown): value is ExactNumber;
  }
}

const NEVER = (_value: unknown): _value is ExactNumber => false;

export const isExactNumber: (value: unknown) => value is ExactNumber = JSON.isRawJSON ?? NEVER;

/** A number of a JSON document, in either form. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === "number" || isExactNumber(value);

/** The nearest double; undefined for what is no number. For reading counts and positions, never for passing on. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value;
  return isExactNumber(value) ? Number(value.rawJSON) : undefined;
};

/** The value for the source of a JSON number: a double where that loses nothing. */
export const exactNumber = (source: string): number | ExactNumber => {
  const nearest = Number(source);
  return String(nearest) === source || !("rawJSON" in JSON) ? nearest : JSON.rawJSON(source);
};

/** Longest text that a number is written out to: no detector looks for a longer row of digits. */
const MAX_WRITTEN_OUT = 64;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The digits of a number as people write it: `4.539E3` is `4539`, `17.0` is `17`. What a scanner has to look at, since
 * readers write all these forms alike. Numbers too long to be written out stay as they are.
 */
export const digitsOf = (value: number | ExactNumber): string => {
  const source = typeof value === "number" ? String(value) : value.rawJSON;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(source) ?? [];
  const shift = Number(exponent);
  const isLong = Math.abs(shift) + whole.length + fraction.length > MAX_WRITTEN_OUT;
  if (whole === "" || (fraction === "" && shift === 0) || isLong) return source;
  const digits = "0".repeat(Math.max(0, -shift)) + whole + fraction + "0".repeat(Math.max(0, shift));
  const point = Math.max(0, -shift) + whole.length + shift;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, "");
  const after = digits.slice(point).replace(/0+$/, "");
  return sign + (after === "" ? before : `${before}.${after}`);
};

/** The same number in one form: what equals a double is that double, `1.0` and `1` are one. */
export const canonicalNumber = (value: ExactNumber): number | ExactNumber => {
  const nearest = Number(value.rawJSON);
  return Number.isFinite(nearest) && digitsOf(nearest) === digitsOf(value) ? nearest : value;
};

/** Levels that a shape can have an opinion on. What lies deeper is not copied. */
const SHAPE_DEPTH = 8;

/**
 * A document for checks that know doubles only, such as schemas: exact numbers are the nearest double. The value itself
 * where it has none; never to be passed on.
 */
export const withDoubles = (value: unknown, levels = SHAPE_DEPTH): unknown => {
  if (isExactNumber(value)) return Number(value.rawJSON);
  if (typeof value !== "object" || value === null || levels < 0) return value;
  return Array.isArray(value) ? listWithDoubles(value, levels - 1) : recordWithDoubles(value, levels - 1);
};

const listWithDoubles = (list: readonly unknown[], levels: number): unknown => {
  let copy: unknown[] | null = null;
  for (let at = 0; at < list.length; at += 1) {
    const part = withDoubles(list[at], levels);
    if (Object.is(part, list[at])) continue;
    copy ??= [...list];
    copy[at] = part;
  }
  return copy ?? list;
};

const recordWithDoubles = (record: object, levels: number): unknown => {
  let copy: object | null = null;
  for (const key in record) {
    const part: unknown = Reflect.get(record, key);
    const made = withDoubles(part, levels);
    if (Object.is(made, part)) continue;
    copy ??= { ...record };
    // Not by assignment: `__proto__` is a name like any other.
    Object.defineProperty(copy, key, { value: made, writable: true, enumerable: true, configurable: true });
  }
  return copy ?? record;
};
