import type { Suspension, SuspensionRight } from "#model/suspension";

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
