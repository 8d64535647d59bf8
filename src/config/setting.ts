import { Type } from "#core/schema";

/* What settings are made of. */

const DAY_MS = 86_400_000;

/** One of a few words. */
export const oneOf = <const T extends readonly string[]>(values: T, fallback: T[number], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    { default: fallback, description, expects: `one of ${values.join(", ")}` },
  );

/** A duration. */
export const ms = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ default: fallback, minimum, maximum: 30 * DAY_MS, description, unit: "milliseconds" });

/** A whole number between two others. */
export const count = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description });
