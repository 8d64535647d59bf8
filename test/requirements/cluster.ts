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
  {
    id: "cluster.recent",
    promise:
      "A call is judged by what was so a second before it came at most, also by a hub that was held up: it waits until PostgreSQL has answered. One that does not answer for two seconds is waited for once.",
    source: "docs/scaling.md#several-hubs-on-postgresql",
  },
  {
    id: "cluster.examples",
    promise:
      "Two hubs that are started as the Compose example says are one: what is made or revoked at one holds at the other.",
    source: "docs/scaling.md#docker-compose",
  },
  {
    id: "cluster.database",
    promise:
      "While PostgreSQL crashes and starts again, or one hub is cut off from it, calls are answered where nothing could have been revoked unheard of, and refused elsewhere.",
    source: "docs/scaling.md#what-is-proved",
  },
];
