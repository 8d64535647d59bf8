import { Shape, type Static, type TSchema } from "#core/schema";
import type { Suspension, SuspensionRight } from "#model/suspension";

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

/** A halt as it is kept: three columns of the row that was stopped. */
export type SuspensionColumns = {
  readonly halt_right: SuspensionRight | null;
  readonly halt_by: string | null;
  readonly halt_at: number | null;
};

export const suspensionOf = ({ halt_right: right, halt_by: by, halt_at: at }: SuspensionColumns): Suspension | null =>
  right === null ? null : { right, by, at };

export const suspensionRow = (suspension: Suspension | null) => ({
  halt_right: suspension?.right ?? null,
  halt_by: suspension?.by ?? null,
  halt_at: suspension?.at ?? null,
});
