/** One promise of the product: an id that tests cite, what is promised, and where that is written. */
export type Requirement = {
  /** Dotted, kebab-case: `audit.fail-closed`. */
  readonly id: string;
  readonly promise: string;
  /** Section of the contract, or the issue. */
  readonly source: string;
};
