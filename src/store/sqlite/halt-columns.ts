import type { Halt, HaltRight } from "#core/halt";

/** A halt as it is kept: three columns of the row that was stopped. */
export type HaltColumns = {
  readonly halt_right: HaltRight | null;
  readonly halt_by: string | null;
  readonly halt_at: number | null;
};

export const haltOf = ({ halt_right: right, halt_by: by, halt_at: at }: HaltColumns): Halt | null =>
  right === null ? null : { right, by, at };

export const haltRow = (halt: Halt | null) => ({
  haltRight: halt?.right ?? null,
  haltBy: halt?.by ?? null,
  haltAt: halt?.at ?? null,
});
