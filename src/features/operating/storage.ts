import { type StorageSample, storageTrend } from "#model/storage-trend";
import { type Clock, timestamp } from "#platform/clock";
import type { CallIndex } from "#store/call-index-port";
import type { StorageHistory } from "#store/port";
import type { StorageHistoryView, StorageView } from "./schema";

type StorageServiceNeeds = {
  readonly history: StorageHistory;
  readonly calls: Pick<CallIndex, "bytes">;
  readonly storage: () => StorageView;
  readonly now: Clock;
};

/** How often it is measured: what grows over months changes little in hours. */
const EVERY_MS = 6 * 3_600_000;
/** Some 360 samples. */
const KEPT_MS = 90 * 86_400_000;

/** How much the hub keeps, how fast that grows, and how long the disk lasts. */
export class StorageService {
  constructor(private readonly deps: StorageServiceNeeds) {}

  /** Measures when it is time to. To be called a few times an hour. */
  async runOnce(): Promise<void> {
    const { history, now } = this.deps;
    const at = now();
    await history.keepOnly(at - KEPT_MS, at + 1);
    const newest = (await history.list()).at(-1);
    if (newest && at - newest.at < EVERY_MS) return;
    await history.add(await this.measured(at));
  }

  async view(): Promise<StorageHistoryView> {
    const { history, now } = this.deps;
    const at = now();
    const samples = await history.list();
    const current = await this.measured(at);
    return {
      object: "storage_history",
      now: shown(current),
      trend: storageTrend([...samples, current], at),
      every_hours: EVERY_MS / 3_600_000,
      samples: samples.map(shown),
    };
  }

  private async measured(at: number): Promise<StorageSample> {
    const { calls, storage } = this.deps;
    const { database_bytes, backup_bytes, disk_free_bytes } = storage();
    return { at, database_bytes, index_bytes: await calls.bytes(), backup_bytes, free_bytes: disk_free_bytes };
  }
}

const shown = ({ at, free_bytes, ...sizes }: StorageSample): StorageHistoryView["now"] => ({
  at: timestamp(at),
  ...sizes,
  disk_free_bytes: free_bytes,
});
