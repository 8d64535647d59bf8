/** One promise of the product: an id that tests cite, what is promised, and where that is written. */
export type Requirement = {
  /** Dotted, kebab-case: `audit.fail-closed`. */
  readonly id: string;
  readonly promise: string;
  /** The section that says it in full: `docs/FILE.md#anchor`. */
  readonly source: string;
};
