import { asc, gte, lt, or } from "drizzle-orm";
import type { StorageSample } from "#model/storage-trend";
import { type Db, run } from "#store/db";
import type { StorageHistory as StorageHistoryPort } from "#store/port";

export class StorageHistory implements StorageHistoryPort {
  constructor(private readonly db: Db) {}

  async add(sample: StorageSample): Promise<void> {
    const { at: _at, ...set } = sample;
    await this.db.tx(() =>
      run((q, { storageSample: it }) => q.insert(it).values(sample).onConflictDoUpdate({ target: it.at, set })),
    );
  }

  list(): Promise<StorageSample[]> {
    return this.db.all((q, { storageSample: it }) => q.select().from(it).orderBy(asc(it.at)));
  }

  async keepOnly(since: number, until: number): Promise<void> {
    await this.db.tx(() =>
      run((q, { storageSample: it }) => q.delete(it).where(or(lt(it.at, since), gte(it.at, until)))),
    );
  }
}
