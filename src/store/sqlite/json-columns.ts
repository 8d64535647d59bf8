import type { Static, TSchema } from "#core/schema";
import { Shape } from "#core/shape";

/** A list of strings as it was read from a JSON column; `what` names it for the operator. */
export const strings = (value: unknown, what: string): string[] => {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new Error(`The stored ${what} are not a list of strings`);
};

/** What a JSON column must hold. */
export class StoredShape<T extends TSchema> extends Shape<T> {
  /** `what` names the value for the operator. Throws on what is damaged; its content is not in the error. */
  read(value: unknown, what: string): Static<T> {
    if (this.fits(value)) return value;
    throw damaged(what);
  }
}

export const damaged = (what: string): Error => new Error(`The stored ${what} is damaged`);
