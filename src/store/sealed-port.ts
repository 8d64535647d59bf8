import type { SerialisedRecord } from "./record";
import type { SealedPlace } from "./sealed-places";

/* What a change of the master key needs of a store. See `port.ts` for what holds of every method. */

/** Ids of keys. */
export type KeyRotation = { readonly from: string; readonly to: string };

/** A row of a place. `stored` is the column as it was read. */
export type SealedRow = {
  readonly key: string;
  readonly bound: string;
  readonly stored: string;
  readonly values: readonly string[];
};

/** The same row with other values; `replaced` says how many are new. */
export type ResealedRow = SealedRow & { readonly replaced: number };

export type SealedValues = {
  /** How many values there are of each place and key id. */
  census(): Promise<{ readonly place: SealedPlace; readonly key_id: string; readonly values: number }[]>;
  /**
   * From now on nothing sealed with the old key is taken in: who sealed before the change and writes after it fails.
   * Recorded once for each rotation, however often it is taken up again.
   */
  begin(rotation: KeyRotation, at: number, record: SerialisedRecord): Promise<void>;
  /** Rows in which something is sealed with that key, in the order of `key` after `after`. Some, so that they fit in memory. */
  sealedWith(place: SealedPlace, keyId: string, after: string): Promise<SealedRow[]>;
  /** Replaces what is still stored as it was read. Overwrites the old bytes. */
  replace(rotation: KeyRotation, place: SealedPlace, rows: readonly ResealedRow[]): Promise<void>;
  /**
   * The rotation is over: on disk, with the record, whatever the durability setting. `record` is told how many values
   * were sealed anew since it was begun; it is asked for once.
   */
  finish(rotation: KeyRotation, at: number, record: (values: number) => SerialisedRecord): Promise<number>;
};

/** A random secret of the hub's own, kept sealed. `key_id` names it in what is made with it. */
export type HubSecret = { readonly name: string; readonly key_id: string; readonly sealed: string };

export type HubSecretStore = {
  /** `older` when there is none, but data from before there were any. */
  byName(name: string): Promise<HubSecret | "older" | null>;
  /** Keeps it unless there is one already; returns the one that is kept. */
  keep(secret: HubSecret): Promise<HubSecret>;
  /** For one that opens no more. */
  drop(name: string): Promise<void>;
};
