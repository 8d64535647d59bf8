import { pathToFileURL } from "node:url";
import { TcpProxy } from "#test/support/tcp-proxy";

/*
 * What can go wrong between a hub and PostgreSQL, each tried with the driver alone. Run by the test in its own process,
 * and as a program that was compiled, which asks its parent on standard output for what only the parent can do.
 */

export type World = {
  readonly url: string;
  /** Of the same database, by another port. */
  urlAt(port: number): string;
  readonly port: number;
  restart(how: "fast" | "immediate"): Promise<void>;
};

type Fault = (world: World) => Promise<void>;

const must = (is: boolean, what: string): void => {
  if (!is) throw new Error(what);
};

const failed = async (work: PromiseLike<unknown>): Promise<Error & { errno?: unknown }> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

/** Tries again while the driver is connecting anew. */
const soon = async <T>(work: () => PromiseLike<T>): Promise<T> => {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await Bun.sleep(20);
  }
};

const withPool = async (url: string, max: number, use: (sql: Bun.SQL) => Promise<void>): Promise<void> => {
  const sql = new Bun.SQL({ url, max });
  try {
    await use(sql);
  } finally {
    await sql.close({ timeout: 1 });
  }
};

const rowsOf = async (sql: Bun.SQL, text: string, params: unknown[] = []): Promise<unknown[][]> =>
  sql.unsafe(text, params).values();

const answers = async (sql: Bun.SQL): Promise<void> => {
  const rows = await soon(() => rowsOf(sql, "SELECT $1::text", ["it answers"]));
  must(rows[0]?.[0] === "it answers", "the pool does not answer");
};

const emptyTable = (sql: Bun.SQL): Promise<unknown> =>
  sql.unsafe("DROP TABLE IF EXISTS thing; CREATE TABLE thing (id text PRIMARY KEY, n bigint NOT NULL)").simple();

const things = async (sql: Bun.SQL): Promise<number> =>
  Number((await rowsOf(sql, "SELECT count(*) FROM thing"))[0]?.[0]);

const kill = async (by: Bun.SQL, pid: unknown): Promise<void> => {
  await by.unsafe("SELECT pg_terminate_backend($1::int)", [Number(pid)]);
};

export const FAULTS: Readonly<Record<string, Fault>> = {
  "a violated constraint has its code, and the pool goes on": ({ url }) =>
    withPool(url, 2, async (sql) => {
      await emptyTable(sql);
      await sql.unsafe("INSERT INTO thing VALUES ('a', 1)");
      for (let n = 0; n < 20; n++) {
        const error = await failed(sql.unsafe("INSERT INTO thing VALUES ('a', 1)"));
        must(error.errno === "23505", `errno is ${String(error.errno)}`);
      }
      await answers(sql);
    }),

  "a violated constraint takes its transaction back, whole": ({ url }) =>
    withPool(url, 2, async (sql) => {
      await emptyTable(sql);
      for (let n = 0; n < 20; n++) {
        const work = sql.begin(async (tx) => {
          await tx.unsafe("INSERT INTO thing VALUES ('a', 1)");
          await tx.unsafe("INSERT INTO thing VALUES ('a', 2)");
        });
        must((await failed(work)).errno === "23505", "another error");
      }
      must((await things(sql)) === 0, "something of it stayed");
      await answers(sql);
    }),

  "an error of the caller takes the transaction back": ({ url }) =>
    withPool(url, 1, async (sql) => {
      await emptyTable(sql);
      const work = sql.begin(async (tx) => {
        await tx.unsafe("INSERT INTO thing VALUES ('a', 1)");
        throw new Error("changed my mind");
      });
      must((await failed(work)).message === "changed my mind", "another error");
      must((await things(sql)) === 0, "something of it stayed");
    }),

  "a backend that was ended while idle is replaced": ({ url }) =>
    withPool(url, 1, (sql) =>
      withPool(url, 1, async (other) => {
        for (let n = 0; n < 5; n++) {
          const pid = (await soon(() => rowsOf(sql, "SELECT pg_backend_pid()")))[0]?.[0];
          await kill(other, pid);
          await answers(sql);
        }
      }),
    ),

  "a backend that is ended within a transaction fails it, nothing stays, and it is replaced": ({ url }) =>
    withPool(url, 1, (sql) =>
      withPool(url, 1, async (other) => {
        await emptyTable(other);
        for (let n = 0; n < 5; n++) {
          const work = sql.begin(async (tx) => {
            await tx.unsafe("INSERT INTO thing VALUES ('a', 1)");
            await kill(other, (await tx.unsafe("SELECT pg_backend_pid()").values())[0]?.[0]);
            await tx.unsafe("INSERT INTO thing VALUES ('b', 1)");
          });
          await failed(work);
          await answers(sql);
          must((await things(other)) === 0, "something of it stayed");
        }
      }),
    ),

  "a backend that is ended while a statement runs fails the statement": ({ url }) =>
    withPool(url, 2, (sql) =>
      withPool(url, 1, async (other) => {
        const running = failed(sql.unsafe("SELECT pg_sleep(60) /* long */"));
        const found = await soon(async () => {
          const text = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%/* long */' AND pid <> pg_backend_pid()";
          const rows = await rowsOf(other, text);
          must(rows.length === 1, "it does not run yet");
          return rows;
        });
        await kill(other, found[0]?.[0]);
        await running;
        await answers(sql);
      }),
    ),

  "connections that are cut while idle are replaced": async ({ port, urlAt }) => {
    using proxy = new TcpProxy(port);
    await withPool(urlAt(proxy.port), 4, async (sql) => {
      for (let n = 0; n < 5; n++) {
        await Promise.all(Array.from({ length: 4 }, () => soon(() => rowsOf(sql, "SELECT pg_sleep(0.01)"))));
        proxy.cut();
        await answers(sql);
      }
    });
  },

  "connections that are cut within transactions fail these": async ({ port, url, urlAt }) => {
    using proxy = new TcpProxy(port);
    await withPool(url, 1, (direct) =>
      withPool(urlAt(proxy.port), 4, async (sql) => {
        await emptyTable(direct);
        const work = Array.from({ length: 4 }, (_, n) =>
          failed(
            sql.begin(async (tx) => {
              await tx.unsafe("INSERT INTO thing VALUES ($1, 1)", [`t${n}`]);
              proxy.cut();
              await tx.unsafe("SELECT pg_sleep(0.05)");
            }),
          ),
        );
        await Promise.all(work);
        await answers(sql);
        must((await soon(() => things(direct))) === 0, "something of it stayed");
      }),
    );
  },

  "200 transactions at once over few connections are all made, once": ({ url }) =>
    withPool(url, 8, async (sql) => {
      await emptyTable(sql);
      await sql.unsafe("INSERT INTO thing VALUES ('sum', 0)");
      const work = Array.from({ length: 200 }, (_, n) =>
        sql.begin(async (tx) => {
          const rows = await tx.unsafe("SELECT n FROM thing WHERE id = 'sum' FOR UPDATE").values();
          await tx.unsafe("INSERT INTO thing VALUES ($1, $2)", [`t${n}`, n]);
          await tx.unsafe("UPDATE thing SET n = $1 WHERE id = 'sum'", [Number(rows[0]?.[0]) + 1]);
        }),
      );
      await Promise.all(work);
      const [row] = await rowsOf(sql, "SELECT (SELECT n FROM thing WHERE id = 'sum'), count(*) FROM thing");
      must(String(row) === "200,201", `there are ${String(row)}`);
    }),

  "a server that restarts, or crashes, is found again": ({ url, restart }) =>
    withPool(url, 4, async (sql) => {
      for (const how of ["fast", "immediate"] as const) {
        await answers(sql);
        const inside = failed(
          sql.begin(async (tx) => {
            await tx.unsafe("SELECT 1");
            await restart(how);
            await tx.unsafe("SELECT 1");
          }),
        );
        await inside;
        await answers(sql);
      }
    }),

  "another server behind the same address is used after the first one is gone": async ({ port, url, urlAt }) => {
    using proxy = new TcpProxy(1);
    const sql = new Bun.SQL({ url: urlAt(proxy.port), max: 4, connectionTimeout: 1 });
    try {
      await failed(sql.unsafe("SELECT 1"));
      proxy.turnTo(port);
      await answers(sql);
      proxy.turnTo(1);
      proxy.cut();
      await failed(sql.unsafe("SELECT 1"));
      proxy.turnTo(port);
      await answers(sql);
    } finally {
      await sql.close({ timeout: 1 });
    }
    await withPool(url, 1, answers);
  },

  "in a network that drops everything, closing the pool fails what waits": async ({ port, urlAt }) => {
    using proxy = new TcpProxy(port);
    const sql = new Bun.SQL({ url: urlAt(proxy.port), max: 2 });
    await answers(sql);
    proxy.silence();
    const waiting = [failed(sql.unsafe("SELECT 1")), failed(sql.begin((tx) => tx.unsafe("SELECT 1")))];
    await sql.close({ timeout: 0 });
    await Promise.all(waiting);
    proxy.speak();
    await withPool(urlAt(proxy.port), 1, answers);
  },

  "a listener whose backend was ended listens again": ({ url }) =>
    withPool(url, 2, (sql) =>
      withPool(url, 1, async (other) => {
        const heard: string[] = [];
        let times = 0;
        const listening = await sql.listen(
          "things",
          (payload) => void heard.push(payload),
          () => {
            times += 1;
          },
        );
        const hears = (payload: string): Promise<void> =>
          soon(async () => {
            await other.notify("things", payload);
            await Bun.sleep(10);
            must(heard.includes(payload), `${payload} is not heard`);
          });
        await hears("before");
        await other.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
        await hears("after");
        must(times >= 2, "nobody was told that it listens anew");
        await listening.unlisten();
        await answers(sql);
      }),
    ),
};

/** As a program: `URL PORT`. Says `ok NAME` of each; asks for a restart with `restart HOW` and reads a line. */
const main = async ([url = "", port = ""]: readonly string[]): Promise<void> => {
  const lines = console[Symbol.asyncIterator]();
  const restart = async (how: string): Promise<void> => {
    console.log(`restart ${how}`);
    await lines.next();
  };
  const urlAt = (at: number): string => url.replace(`:${port}/`, `:${at}/`);
  for (const [name, fault] of Object.entries(FAULTS)) {
    await fault({ url, port: Number(port), urlAt, restart });
    console.log(`ok ${name}`);
  }
  process.exit(0);
};

if (import.meta.main && import.meta.url === pathToFileURL(Bun.main).href) await main(process.argv.slice(2));
