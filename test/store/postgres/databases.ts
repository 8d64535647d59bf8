import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from "#store/postgres/index";
import type { LendProcesses, ProcessStore, Serving } from "#test/store/processes";
import { type Cluster, sharedCluster } from "#test/support/postgres";

export type LentStore = PostgresStore & AsyncDisposable;

/** Databases of one cluster that are at the newest version: copies of one that was brought there. */
export class Databases {
  private constructor(
    readonly cluster: Cluster,
    private readonly template: string,
  ) {}

  static async in(cluster: Cluster): Promise<Databases> {
    const template = await cluster.database();
    const store = await openPostgresStore({ url: cluster.url(template) });
    await store.close();
    return new Databases(cluster, template);
  }

  /** A new one; its name. */
  make(): Promise<string> {
    return this.cluster.database(this.template);
  }

  /** On a new database, unless `options` name one. */
  async store(options: Partial<PostgresStoreOptions> = {}): Promise<LentStore> {
    const url = options.url ?? this.cluster.url(await this.make());
    const store = await openPostgresStore({ most: 4, ...options, url });
    return { ...store, [Symbol.asyncDispose]: () => store.close() };
  }
}

/** Within `onPostgres`: made when they are first asked for. */
export const migratedDatabases = (): (() => Promise<Databases>) => {
  const cluster = sharedCluster();
  let making: Promise<Databases> | null = null;
  return () => {
    making ??= cluster().then((it) => Databases.in(it));
    return making;
  };
};

export const processesOn =
  (databases: () => Promise<Databases>): LendProcesses =>
  async (use) => {
    const made = await databases();
    const url = made.cluster.url(await made.make());
    const clock = { at: Date.UTC(2026, 10, 20, 12) };
    const opened: ProcessStore[] = [];
    const open = async (node: Serving | null) => {
      const store = await made.store({ url, clock: () => clock.at, ...(node === null ? {} : { node }) });
      opened.push(store);
      return store;
    };
    try {
      await use({ clock, open });
    } finally {
      await Promise.all(opened.map((store) => store.close()));
    }
  };
