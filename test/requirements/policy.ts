import type { Requirement } from "./requirement";

/** What is promised of the hub's baseline policy and of changing it. */
export const POLICY: readonly Requirement[] = [
  {
    id: "policy.edit",
    promise:
      "An administrator changes the baseline while the hub serves: it holds from the next call on, with a revision, a reason and an audit record.",
    source: "product.md §4",
  },
  {
    id: "policy.guarded",
    promise:
      "A baseline is changed only by an administrator whose session is fresh, only as it was when they looked, and never below the hub's floor or past what people confirmed.",
    source: "product.md §4",
  },
  {
    id: "policy.locked",
    promise: "What the configuration says of the baseline wins over what was set by hand, and is shown as locked.",
    source: "product.md §4",
  },
  {
    id: "policy.two-people",
    promise: "A looser baseline takes a second person wherever there is one who could decide.",
    source: "product.md §4",
  },
  {
    id: "policy.dry-run",
    promise: "A change of the baseline can be tried on the golden samples and the last 14 days before it is in force.",
    source: "product.md §4",
  },
  {
    id: "policy.restore",
    promise: "Every revision of the baseline is kept, can be compared with any other, and brought back.",
    source: "product.md §4",
  },
  {
    id: "policy.everywhere",
    promise: "A changed baseline holds in every process of the hub within one second, and after a restart.",
    source: "product.md §4",
  },
];
