/* What serving processes of one store know of each other. See `port.ts` for what holds of every method. */

import type { Receipt } from "#policy/restrictions/restriction";
import type { SerialisedRecord } from "./record";

type Point = Receipt["point"];

/** A serving process. A later start under the same id is another epoch. */
export type NodeEpoch = { readonly id: string; readonly epoch: number };

/** Names the process in the change feed, in leases of jobs and beside breakers. */
export const processIdOf = ({ id, epoch }: NodeEpoch): string => `${id}/${epoch}`;

export type NodeState = "live" | "left" | "ended";

export type Node = NodeEpoch & {
  /** As of now: a lease that has run out is `ended`. */
  readonly state: NodeState;
  readonly started_at: number;
  /** When it last renewed its lease, by the store's clock. */
  readonly heard_at: number;
  readonly version: string;
  /** Where it listens; null until it does. */
  readonly address: string | null;
};

/** A process of several that ended without an orderly stop. What it had not stored is in its records. */
export type Crash = NodeEpoch & {
  /** When it was heard of last, and until when it may have served, by the store's clock. */
  readonly heard_at: number;
  readonly until: number;
  /** Whether what it counted, and the events it told of, were read from its records again. */
  readonly has_usage: boolean;
  readonly has_events: boolean;
};

/** How a serving process joins. */
export type Joining = {
  readonly id: string;
  readonly version: string;
  /** How long the others wait for a sign of life, in milliseconds. */
  readonly leaseMs: number;
  /** How long they wait for the first one, where that is longer. */
  readonly startMs?: number;
  /**
   * Whether this process alone may serve from the store, by a lock outside it: any other process is dead, and no process
   * takes anything over from this one.
   */
  readonly isAlone: boolean;
};

/** See `Joining`. */
export type Self = NodeEpoch & { readonly isAlone: boolean };

export type NodeStore = {
  /** This process; null for one that serves nothing. */
  readonly self: Self | null;
  /** The processes of this data directory alone; the store itself where no others share it. A process renews both. */
  readonly here: NodeStore;
  /**
   * By how much the store's clock was ahead of this process's when it joined, or renewed its lease last. 0 where both are
   * one. Milliseconds.
   */
  readonly ahead: number;
  /** In the order of ids. */
  list(): Promise<Node[]>;
  /** Says where this process listens. */
  listens(address: string): Promise<void>;
  /** Renews this process's leases, for so long at least. False when it was held for dead meanwhile: it must serve nothing any more. */
  renew(atLeastMs?: number): Promise<boolean>;
  /** Ends nodes whose lease has run out, and says which. From then on they can record nothing. */
  endSilent(): Promise<NodeEpoch[]>;
  /** Crashes of which something is still to be read again. */
  crashes(): Promise<Crash[]>;
  /** Says that it was. */
  recovered(crash: Crash, what: "has_usage" | "has_events"): Promise<void>;
  /** Forgets a node that does not live. */
  remove(id: string, record: SerialisedRecord): Promise<"done" | "missing" | "live">;
  /**
   * Says that a restriction or kill switch holds at these points of this process. Returns the points among them at which
   * it holds in every process that lives, and those processes.
   */
  contains(
    subjectId: string,
    points: readonly Point[],
  ): Promise<{ readonly points: readonly Point[]; readonly nodes: readonly string[] }>;
  /**
   * Whether this process is the one that does what is named so, until its lease ends. Once it is, it stays so while it
   * lives, unless it releases it.
   */
  holds(name: string): Promise<boolean>;
  /** The same among the processes of this data directory: of what is done to that. */
  holdsHere(name: string): Promise<boolean>;
  /** Another process may be the one from now on. */
  release(name: string): Promise<void>;
};
