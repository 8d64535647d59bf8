/** A number that a state or its health service gives out. */
export type IdDocument = {
  /** The flag type, e.g. `pii.national_id.de`. */
  readonly type: string;
  /** Words it is introduced with, lower case; spaces may be written as `_`, `-` or not at all. */
  readonly cues: readonly string[];
  /** What it looks like in capitals and without separators. */
  readonly shape: RegExp;
  readonly lengths: readonly number[];
  /** Its check digits; without them the shape has to do. */
  readonly check?: (text: string) => boolean;
};

/** One in sixteen of the ids tried on a shape. */
const LOOSE_PROBES = 32;
const LOOSE_FROM = 2;

const loose = new WeakMap<IdDocument, boolean>();

/** Whether plain numbers, or ids of a letter and digits, have its shape often: such a shape proves nothing. */
export const isLoose = (document: IdDocument): boolean => workedOut(loose, document, hasLooseShape);

function hasLooseShape({ shape, lengths }: IdDocument): boolean {
  return lengths.some((length) => {
    const ids = drawnNumbers(length, LOOSE_PROBES);
    const fits = (number: string, i: number): boolean =>
      shape.test(number) || shape.test("ABCDEFGHIJKLMNOPQRSTUVWXYZ".charAt(i % 26) + number.slice(1));
    return ids.filter(fits).length >= LOOSE_FROM;
  });
}

/** Numbers that look drawn, the same every time (a linear congruential generator). */
function drawnNumbers(length: number, count: number): string[] {
  let state = length;
  return Array.from({ length: count }, () => {
    let digits = "";
    while (digits.length < length) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      digits += String(state >>> 9);
    }
    return digits.slice(0, length);
  });
}

/** Fewer than one in thirty plain numbers pass: a date within, or two check digits, as a sum modulo 97 gives. */
const SELECTIVE_PROBES = 400;
const SELECTIVE_TO = 12;
const selective = new WeakMap<IdDocument, boolean>();

/** Whether right check digits are proof by themselves. */
export const isSelective = (document: IdDocument): boolean => workedOut(selective, document, hasSelectiveCheck);

function hasSelectiveCheck({ shape, check, lengths }: IdDocument): boolean {
  const passing = lengths.map(
    (length) =>
      drawnNumbers(length, SELECTIVE_PROBES).filter((number) => shape.test(number) && check?.(number) !== false).length,
  );
  return Math.max(...passing) <= SELECTIVE_TO;
}

/** Tried on drawn numbers when it is first asked for. */
function workedOut(known: WeakMap<IdDocument, boolean>, document: IdDocument, is: (document: IdDocument) => boolean) {
  const before = known.get(document);
  if (before !== undefined) return before;
  const now = is(document);
  known.set(document, now);
  return now;
}

/** One line of a country's table. Lengths may be one number or several. */
export function document(
  type: string,
  cues: string,
  lengths: number | readonly number[],
  shape: RegExp,
  check?: (text: string) => boolean,
): IdDocument {
  const widths = typeof lengths === "number" ? [lengths] : lengths;
  return {
    type: `pii.${type}`,
    cues: cues.split("|"),
    lengths: widths,
    shape,
    ...(check && { check }),
  };
}
