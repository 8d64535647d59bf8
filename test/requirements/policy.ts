import type { Requirement } from "./requirement";

/** What is promised of the hub's baseline policy and of changing it. */
export const POLICY: readonly Requirement[] = [
  {
    id: "policy.edit",
    promise:
      "An administrator changes the baseline while the hub serves: it holds from the next call on, with a revision, a reason and an audit record.",
    source: "docs/spec/policy.md#changing-it",
  },
  {
    id: "policy.guarded",
    promise:
      "A baseline is changed only by an administrator whose session is fresh, only as it was when they looked, and never below the hub's floor or past what people confirmed.",
    source: "docs/spec/policy.md#changing-it",
  },
  {
    id: "policy.locked",
    promise: "What the configuration says of the baseline wins over what was set by hand, and is shown as locked.",
    source: "docs/spec/policy.md#configuration-wins",
  },
  {
    id: "policy.two-people",
    promise: "A looser baseline takes a second person wherever there is one who could decide.",
    source: "docs/spec/policy.md#two-people",
  },
  {
    id: "policy.dry-run",
    promise: "A change of the baseline can be tried on the golden samples and the last 14 days before it is in force.",
    source: "docs/spec/policy.md#trying-and-restoring",
  },
  {
    id: "policy.restore",
    promise: "Every revision of the baseline is kept, can be compared with any other, and brought back.",
    source: "docs/spec/policy.md#trying-and-restoring",
  },
  {
    id: "policy.everywhere",
    promise: "A changed baseline holds in every process of the hub within one second, and after a restart.",
    source: "docs/spec/policy.md#changing-it",
  },
];
