/** One promise of the product: an id that tests cite, what is promised, and where that is written. */
export type Requirement = {
  /** Dotted, kebab-case: `audit.fail-closed`. */
  readonly id: string;
  readonly promise: string;
  /** Section of the contract, or the issue. */
  readonly source: string;
};

/** What the product promises. Each must be cited by a test: see `coverage.test.ts`. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "host.refused",
    promise: "A request whose Host is not an address of the hub is refused with 400 before anything else.",
    source: "decisions.md §1",
  },
  {
    id: "host.allowed",
    promise: "The public URL's name, loopback names and allowed_hosts are answered.",
    source: "decisions.md §1",
  },
  {
    id: "host.base-path",
    promise: "The path of the public URL stands before every address; nothing is served above it.",
    source: "decisions.md §1",
  },
];
