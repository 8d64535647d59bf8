import { asc, gte, lt, or } from "drizzle-orm";
import type { StorageSample } from "#model/storage-trend";
import type { StorageHistory } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { storageSample } = tables;

export class SqliteStorageHistory implements StorageHistory {
  constructor(private readonly connection: Connection) {}

  async add(sample: StorageSample): Promise<void> {
    const { at: _at, ...set } = sample;
    await this.connection.writeSoon<void>(() => {
      const insert = this.connection.queries.insert(storageSample).values(sample);
      insert.onConflictDoUpdate({ target: storageSample.at, set }).run();
    });
  }

  async list(): Promise<StorageSample[]> {
    return this.connection.queries.select().from(storageSample).orderBy(asc(storageSample.at)).all();
  }

  async keepOnly(since: number, until: number): Promise<void> {
    const outside = or(lt(storageSample.at, since), gte(storageSample.at, until));
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(storageSample).where(outside).run();
    });
  }
}
