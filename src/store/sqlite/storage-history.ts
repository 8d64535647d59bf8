import { asc, gte, lt, or } from "drizzle-orm";
import type { StorageSample } from "#core/storage-trend";
import type { StorageHistory } from "#store/storage-port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { storageSample } = tables;

const columns = {
  at: storageSample.at,
  database_bytes: storageSample.databaseBytes,
  index_bytes: storageSample.indexBytes,
  backup_bytes: storageSample.backupBytes,
  free_bytes: storageSample.freeBytes,
};

export class SqliteStorageHistory implements StorageHistory {
  constructor(private readonly connection: Connection) {}

  async add({ at, database_bytes, index_bytes, backup_bytes, free_bytes }: StorageSample): Promise<void> {
    const sizes = {
      ...{ databaseBytes: database_bytes, indexBytes: index_bytes },
      ...{ backupBytes: backup_bytes, freeBytes: free_bytes },
    };
    await this.connection.writeSoon<void>(() => {
      const insert = this.connection.queries.insert(storageSample).values({ at, ...sizes });
      insert.onConflictDoUpdate({ target: storageSample.at, set: sizes }).run();
    });
  }

  async list(): Promise<StorageSample[]> {
    return this.connection.queries.select(columns).from(storageSample).orderBy(asc(storageSample.at)).all();
  }

  async keepOnly(since: number, until: number): Promise<void> {
    const outside = or(lt(storageSample.at, since), gte(storageSample.at, until));
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(storageSample).where(outside).run();
    });
  }
}
