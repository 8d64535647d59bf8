/** What the long caller of the fairness bench is told. */
export type FloodJob =
  | { readonly kind: "begin"; readonly url: string; readonly token: string; readonly body: string }
  /** As `begin`, but for CPU alone: one core is kept busy at the priority that scan threads have. */
  | { readonly kind: "burn" }
  | { readonly kind: "end" };

/** At the end: calls that were answered since the beginning. */
export type FloodResult = { readonly calls: number };
