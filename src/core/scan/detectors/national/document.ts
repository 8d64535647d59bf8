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

/** One line of a country's table. Lengths may be one number or several. */
export function document(
  type: string,
  cues: string,
  lengths: number | readonly number[],
  shape: RegExp,
  check?: (text: string) => boolean,
): IdDocument {
  return {
    type: `pii.${type}`,
    cues: cues.split("|"),
    lengths: typeof lengths === "number" ? [lengths] : lengths,
    shape,
    ...(check && { check }),
  };
}
