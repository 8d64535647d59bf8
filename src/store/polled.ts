import type { NodeEpoch } from "./node-port";

/** What serving processes look for several times a second, as one statement tells all of it. */
export type Seen = {
  readonly revision: number;
  /** The place of the newest event in the outbox; 0 for none. */
  readonly newestEvent: number;
  /** Whether an event waits to be told of. */
  readonly hasUntold: boolean;
  /** Whether a job is due that nobody does. */
  readonly hasDueJobs: boolean;
  /** Whether the lease of a process that counts as live has ended. */
  readonly hasSilent: boolean;
  /** Who does what is named so, while that is certain; a name that is missing may be free. */
  readonly holders: ReadonlyMap<string, NodeEpoch>;
};

/** For a database that is asked over a network: what was seen a moment ago saves a question of its own. */
export type Polled = {
  /** Asks, now. */
  ask(): Promise<Seen>;
  /** What was seen a moment ago; null where that is too long ago, or this process has changed something since. */
  readonly recent: Seen | null;
  /** This process has changed something of it. */
  forget(): void;
};
