import type { StorageSample } from "#model/storage-trend";

/** How much was kept when: a few samples a day. No record and no revision: it governs nothing. */
export type StorageHistory = {
  add(sample: StorageSample): Promise<void>;
  /** Oldest first. */
  list(): Promise<StorageSample[]>;
  /** Drops what lies outside of [since, until): what is too old, and what a clock that ran ahead left behind. */
  keepOnly(since: number, until: number): Promise<void>;
};
