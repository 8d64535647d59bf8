import { expect, test } from "bun:test";
import { getTableColumns, getTableName } from "drizzle-orm";
import { HubNodes } from "#store/hub-nodes";
import { NewerDatabase } from "#store/newer-database";
import { DatabaseUnreachable, openPostgresStore, UnfitDatabase } from "#store/postgres/index";
import { tables } from "#store/postgres/schema";
import { ANN, BOB, BOT, failure, TOKEN, withPeople } from "#test/store/contract";
import { type LentStore, migratedDatabases } from "#test/store/postgres/databases";
import { someRecord } from "#test/store/records";
import { onPostgres } from "#test/support/postgres";
import { TcpProxy } from "#test/support/tcp-proxy";
import { verifies } from "#test/support/verifies";

onPostgres("several hubs on one PostgreSQL", () => {
  const databases = migratedDatabases();

  const hubs = async (count: number): Promise<{ url: string; stores: LentStore[] }> => {
    const it = await databases();
    const url = it.cluster.url(await it.make());
    return { url, stores: await Promise.all(Array.from({ length: count }, () => it.store({ url }))) };
  };

  const closed = async (stores: readonly LentStore[]): Promise<void> => {
    for (const store of stores) await store.close();
  };

  /** Whether each link is made of the one before, and none is missing. */
  const isWhole = async (store: LentStore): Promise<boolean> => {
    const rows = (await store.governance.tail(10_000)).toReversed();
    return rows.every(({ seq, body, prev_hash, hash }, at) => {
      const before = rows[at - 1];
      const isNext = seq === at + 1 && (before === undefined || before.hash === prev_hash);
      return isNext && hash === new Bun.CryptoHasher("sha256").update(`${prev_hash}${seq}\n${body}`).digest("hex");
    });
  };

  const withOther = async (url: string, use: (sql: Bun.SQL) => Promise<void>): Promise<void> => {
    const sql = new Bun.SQL({ url, max: 1 });
    try {
      await use(sql);
    } finally {
      await sql.close();
    }
  };

  test("a hub whose renewal waited until the database was back ends nobody before a lease has passed", async () => {
    verifies("node.take-over");
    const leaseMs = 2_000;
    const it = await databases();
    const url = new URL(it.cluster.url(await it.make()));
    using proxy = new TcpProxy(Number(url.port));
    await using other = await it.store({ url: url.href, node: { id: "other", version: "test", leaseMs } });
    url.port = String(proxy.port);
    await using slow = await it.store({ url: url.href, node: { id: "slow", version: "test", leaseMs } });
    const nodes = new HubNodes(slow.nodes, slow.nodes, leaseMs);
    expect(await nodes.renew()).toBe(true);
    await Bun.sleep(leaseMs);
    proxy.delay(leaseMs);
    const renewed = nodes.renew();
    await Bun.sleep(leaseMs / 2);
    proxy.delay(0);
    // What ends others is a job of its own: it may come first.
    expect(await nodes.endSilent()).toEqual([]);
    expect(await renewed).toBe(true);
    expect(await nodes.endSilent()).toEqual([]);
    expect(await other.nodes.renew()).toBe(true);
  }, 120_000);

  /** What another session does not let go of while `use` goes on. */
  const holding = (url: string, lock: string, use: () => Promise<void>): Promise<void> =>
    withOther(url, async (sql) => {
      await sql.unsafe("BEGIN");
      await sql.unsafe(lock);
      await use();
      await sql.unsafe("ROLLBACK");
    });

  const RENEWAL_WITHIN_MS = 1_500;
  const renewsSoon = (store: LentStore): Promise<boolean | "waits"> =>
    Promise.race([store.nodes.renew(), Bun.sleep(RENEWAL_WITHIN_MS).then(() => "waits" as const)]);

  const MEMBER = { id: "one", version: "test", leaseMs: 10_000 };

  test("a lease is renewed while all that a hub has of connections is waiting", async () => {
    verifies("node.renewal");
    const it = await databases();
    const url = it.cluster.url(await it.make());
    await using store = await it.store({ url, most: 2, node: MEMBER });
    await withPeople(store);
    const changes: Promise<unknown>[] = [];
    await holding(url, "SELECT value FROM revision FOR UPDATE", async () => {
      for (let n = 0; n < 6; n++) {
        const token = { ...TOKEN, id: `t${n}`, hash: `h${n}` };
        changes.push(store.tokens.create(token, someRecord(), { most: 50, at: 50 }));
      }
      await Bun.sleep(200);
      expect(await renewsSoon(store)).toBe(true);
    });
    expect(await Promise.all(changes)).toEqual(Array(6).fill("done"));
  }, 120_000);

  test("a lease is renewed while another process, which stands still, holds what this one asks for", async () => {
    verifies("node.renewal");
    const it = await databases();
    const url = it.cluster.url(await it.make());
    await using store = await it.store({ url, node: MEMBER });
    await withOther(url, async (sql) => {
      await sql.unsafe("INSERT INTO lease (name, node, epoch, until) VALUES ('left', 'gone', 1, 0)");
    });
    const asked: Promise<boolean>[] = [];
    await holding(url, "SELECT name FROM lease FOR UPDATE", async () => {
      asked.push(store.nodes.holds("left"));
      await Bun.sleep(200);
      expect(await renewsSoon(store)).toBe(true);
    });
    expect(await Promise.all(asked)).toEqual([true]);
    // Also while it is the row of what this one does for all that is held.
    await holding(url, "SELECT name FROM lease FOR UPDATE", async () => {
      const [before] = await store.nodes.list();
      await Bun.sleep(20);
      const renewed = store.nodes.renew().catch((error: unknown) => error);
      await Bun.sleep(500);
      const [after] = await store.nodes.list();
      expect(after?.heard_at).toBeGreaterThan(before?.heard_at ?? Number.POSITIVE_INFINITY);
      await renewed;
    });
    expect(await store.nodes.renew()).toBe(true);
    expect(await store.nodes.holds("left")).toBe(true);
  }, 120_000);

  test("changes of all of them are made one at a time: one revision, one record and one link each", async () => {
    verifies("postgres.changes");
    const { stores } = await hubs(3);
    const [first] = stores;
    if (first === undefined) throw new Error("There is no hub");
    await withPeople(first);
    const made = stores.flatMap((store, hub) =>
      Array.from({ length: 40 }, (_, n) =>
        store.tokens.create({ ...TOKEN, id: `t${hub}-${n}`, hash: `h${hub}-${n}` }, someRecord(), { most: 50, at: 50 }),
      ),
    );
    const outcomes = await Promise.all(made);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(50);
    expect(await first.changes.revision()).toBe(52);
    expect(await first.governance.tail(1_000)).toHaveLength(52);
    expect(await isWhole(first)).toBe(true);
    expect((await first.outbox.pending(1_000)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 52 }, (_, n) => n + 1),
    );
    await closed(stores);
  });

  test("what one hub changed, the others are told of at once, and read since their revision", async () => {
    verifies("postgres.changes");
    const { url, stores } = await hubs(2);
    const [one, other] = stores;
    if (one === undefined || other === undefined) throw new Error("There are no hubs");
    await withPeople(one);
    const before = await other.changes.revision();
    let heard = Promise.withResolvers<void>();
    const silent = await other.listen(() => heard.resolve());
    await heard.promise;
    heard = Promise.withResolvers();
    await one.tokens.create(TOKEN, someRecord());
    await heard.promise;
    expect((await other.changes.changesSince(before)).tokens).toEqual([TOKEN]);
    // The listener's connection is cut: it listens anew, and says so.
    heard = Promise.withResolvers();
    await withOther(url, async (sql) => {
      await sql.unsafe(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND pid <> pg_backend_pid()",
      );
    });
    await heard.promise;
    await silent();
    await closed(stores);
  });

  test("a hub whose connections are ended loses no change it has answered, and makes none by halves", async () => {
    verifies("postgres.changes");
    const { url, stores } = await hubs(2);
    const [one, other] = stores;
    if (one === undefined || other === undefined) throw new Error("There are no hubs");
    await withPeople(one);
    let isOver = false;
    const killing = withOther(url, async (sql) => {
      while (!isOver) {
        await sql.unsafe(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        await Bun.sleep(15);
      }
    });
    const answered: string[] = [];
    for (let n = 0; n < 60; n++) {
      const id = `t${n}`;
      const store = n % 2 === 0 ? one : other;
      const made = await store.tokens.create({ ...TOKEN, id, hash: id }, someRecord()).catch(() => "lost");
      if (made === "done") answered.push(id);
    }
    isOver = true;
    await killing;
    const there = new Set((await settled(() => one.tokens.list())).map(({ id }) => id));
    expect(answered.filter((id) => !there.has(id))).toEqual([]);
    expect(await one.changes.revision()).toBe(2 + there.size);
    expect(await one.governance.tail(1_000)).toHaveLength(2 + there.size);
    expect(await isWhole(one)).toBe(true);
    await closed(stores);
  });

  test("a network that drops everything fails what waits, and a hub goes on when it is back", async () => {
    verifies("postgres.outage");
    const { cluster, ...it } = await databases().then((found) => ({ cluster: found.cluster, made: found }));
    const name = await it.made.make();
    using proxy = new TcpProxy(cluster.port);
    const store = await it.made.store({ url: cluster.url(name, proxy.port), deadlineMs: 500 });
    await withPeople(store);
    proxy.silence();
    const waiting = [store.users.list(), store.changes.changesSince(0), store.tokens.create(TOKEN, someRecord())];
    for (const error of await Promise.all(waiting.map((work) => failure(work)))) expect(error).toBeInstanceOf(Error);
    expect(await store.changes.acknowledge("p1", 1)).toBe(false);
    proxy.speak();
    expect(await settled(() => store.users.list())).toEqual([ANN]);
    expect(await store.users.create(BOB, null, someRecord())).toBe(true);
    await store.close();
  });

  test("a server that cannot be reached is said to be so", async () => {
    verifies("postgres.outage");
    using proxy = new TcpProxy(1);
    const it = await databases();
    const error = await failure(openPostgresStore({ url: it.cluster.url("postgres", proxy.port), deadlineMs: 1_000 }));
    expect(error).toBeInstanceOf(DatabaseUnreachable);
    expect(error).toMatchObject({ code: "database_unavailable", status: 503 });
  });

  test("an error of the database quotes nothing that was to be stored", async () => {
    verifies("postgres.driver");
    await using store = await (await databases()).store();
    await store.users.create(ANN, null, someRecord());
    const error = await failure(store.agents.create({ ...BOT, owner_id: "nobody", name: "secret name" }, someRecord()));
    expect(error?.message).toContain("foreign key");
    expect(error?.message).not.toContain("secret name");
  });

  test("hubs that start at once on an empty database bring it to the newest version once", async () => {
    verifies("postgres.migrations");
    const { cluster } = await databases();
    const url = cluster.url(await cluster.database());
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url, most: 2 })));
    expect(await stores[0]?.changes.revision()).toBe(0);
    for (const store of stores) await store.close();
    await withOther(url, async (sql) => {
      await sql.unsafe("UPDATE schema_version SET version = version + 1");
    });
    expect(await failure(openPostgresStore({ url }))).toBeInstanceOf(NewerDatabase);
  });

  test("a database of another encoding is refused", async () => {
    verifies("postgres.migrations");
    const { cluster } = await databases();
    await withOther(cluster.url(), async (sql) => {
      await sql.unsafe("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
    });
    expect(await failure(openPostgresStore({ url: cluster.url("latin") }))).toBeInstanceOf(UnfitDatabase);
  });

  test("the tables the code speaks of are the tables of the database", async () => {
    const it = await databases();
    await withOther(it.cluster.url(await it.make()), async (sql) => {
      const { auth, ...own } = tables;
      for (const table of [...Object.values(own), ...Object.values(auth)]) {
        const columns = Object.values(getTableColumns(table)).map((column) => [
          column.name,
          column.getSQLType(),
          column.notNull || column.primary,
        ]);
        const found = await sql.unsafe<{ name: string; type: string; needed: boolean; generated: boolean }[]>(
          `SELECT column_name AS name, data_type AS type, is_nullable = 'NO' AS needed, is_identity = 'YES' AS generated
            FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
          [getTableName(table)],
        );
        // A number the database gives, and the code does not ask for, is its own affair.
        const spoken = new Set(columns.map(([name]) => name));
        const kept = found
          .filter(({ name, generated }) => !generated || spoken.has(name))
          .map(({ name, type, needed }) => [name, type, needed]);
        expect([getTableName(table), ...kept.toSorted()]).toEqual([getTableName(table), ...columns.toSorted()]);
      }
    });
  });
});

/** Asked again while connections are made anew. */
const settled = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > 100) throw error;
    }
    await Bun.sleep(20);
  }
};
