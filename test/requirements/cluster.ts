import type { Requirement } from "./requirement";

/** What is promised of several processes that are one installation, whatever happens to one of them. */
export const CLUSTER: readonly Requirement[] = [
  {
    id: "cluster.killed",
    promise:
      "When one of several serving processes is killed under load, the others answer every call, and no answered call lacks its record.",
    source: "docs/scaling.md#what-is-proved",
  },
  {
    id: "cluster.restarted",
    promise: "Serving processes that are restarted one after the other under load break off no call.",
    source: "docs/scaling.md#what-is-proved",
  },
  {
    id: "cluster.revoked",
    promise: "What is revoked at one serving process is refused by each, under load.",
    source: "docs/scaling.md#what-is-proved",
  },
];
