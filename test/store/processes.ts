import type { ConfigStore } from "#store/repositories/all";
import { Place } from "#test/store/directory";

export type ProcessStore = ConfigStore & { close(): Promise<void> };

/** How a process of a test joins. */
export type Serving = { readonly id: string; readonly version: string; readonly leaseMs: number };

/** Stores of several processes over one database, whose clock the test moves. */
export type Processes = {
  readonly clock: { at: number };
  /** As a process that serves; null for one that serves nothing. */
  open(node: Serving | null): Promise<ProcessStore>;
};

/** Lends a new database; what was opened of it is closed afterwards. */
export type LendProcesses = (use: (processes: Processes) => Promise<void>) => Promise<void>;

export const lendSqliteProcesses: LendProcesses = async (use) => {
  await using place = new Place();
  const clock = { at: Date.UTC(2026, 10, 20, 12) };
  const now = () => clock.at;
  const open = (node: Serving | null) =>
    place.open(node === null ? { now } : { now, node: { ...node, isAlone: false } });
  await use({ clock, open });
};
