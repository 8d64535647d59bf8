import { expect, test } from "bun:test";
import { join } from "node:path";
import type { AuditRecord } from "#model/audit";
import type { CallFilter, CallOrder, FoundCalls } from "#store/call-index-port";
import { HubCallIndex } from "#store/hub-calls";
import { SharedAuditLog } from "#store/hub-records";
import { Governance } from "#store/postgres/governance";
import { MIGRATIONS } from "#store/postgres/migrations/index";
import { Pool } from "#store/postgres/pool";
import { Moved, RecordShipper } from "#store/postgres/record-shipper";
import { ShippedRecords } from "#store/postgres/shipped-records";
import { verifyShipped } from "#store/postgres/shipped-verify";
import { LogShipping } from "#store/postgres/shipping";
import type { AuditRow } from "#store/record";
import { trafficIn } from "#store/sqlite/call-traffic";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { migratedDatabases } from "#test/store/postgres/databases";
import { someRecord } from "#test/store/records";
import { callRecord } from "#test/support/call-record";
import { onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

const CHILD = join(import.meta.dir, "..", "children", "shipper.ts");
const START = Date.UTC(2026, 9, 30);
const DAY = 86_400_000;

onPostgres("records of several hubs on one PostgreSQL", () => {
  const databases = migratedDatabases();

  const database = async (): Promise<{ url: string; pool: Pool; restart: () => Promise<void> } & AsyncDisposable> => {
    const it = await databases();
    const url = it.cluster.url(await it.make());
    const pool = new Pool({ url, most: 4 });
    const restart = async (): Promise<void> => {
      await it.cluster.end("immediate");
      await it.cluster.begin();
    };
    return { url, pool, restart, [Symbol.asyncDispose]: () => pool.close() };
  };

  test("counters by day are made of those by hour where a database is brought up to date", async () => {
    verifies("overview.counted");
    await using it = await database();
    const ask = <T>(text: string, values: readonly unknown[] = []): Promise<T[]> =>
      it.pool.plain(async (sql) => [...(await sql.unsafe<T[]>(text, [...values]))]);
    await ask("ALTER TABLE record_traffic DROP COLUMN names");
    const put = "INSERT INTO record_traffic (node, span, at, subject, counts) VALUES ($1, 3600000, $2, $3, $4)";
    const nano = 123_456_789_012_345;
    await ask(put, ["one", START, 7, JSON.stringify(["calls", 2, 'model.a"b', 2, "cost", nano])]);
    await ask(put, ["one", START + 23 * 3_600_000, 7, JSON.stringify(["calls", 3, 'model.a"b', 1])]);
    await ask(put, ["one", START + DAY, 7, JSON.stringify(["calls", 5])]);
    await ask(put, ["one", START, 8, "[]"]);
    await ask(put, ["two", START, 7, JSON.stringify(["calls", 11])]);
    const trafficDays = MIGRATIONS.find((one) => one.includes("ALTER TABLE record_traffic")) ?? "";
    for (const statement of trafficDays.split(/;\n/)) if (statement.trim() !== "") await ask(statement);
    type Row = Readonly<Record<"node" | "at" | "subject" | "counts", unknown>>;
    const days = await ask<Row>(
      "SELECT node, at, subject, counts FROM record_traffic WHERE span = 86400000 ORDER BY node, at",
    );
    const shown = days.map(({ node, at, subject, counts }) => [
      node,
      Number(at),
      Number(subject),
      Object.fromEntries(trafficIn({ counts: String(counts) })),
    ]);
    expect(shown).toEqual([
      ["one", START, 7, { calls: 5, 'model.a"b': 3, cost: nano }],
      ["one", START + DAY, 7, { calls: 5 }],
      ["two", START, 7, { calls: 11 }],
    ]);
  });

  const mainOf = (store: SqliteStore) => {
    const [main] = store.sources();
    if (main === undefined) throw new Error("no log");
    return main.source;
  };

  const rowsOf = async (pool: Pool, node: string): Promise<unknown[]> => {
    const text = "SELECT seq, body, prev_hash, hash FROM record WHERE node = $1 ORDER BY seq";
    const rows = await pool.plain((sql) => sql.unsafe<(AuditRow & { seq: unknown })[]>(text, [node]));
    return rows.map(({ seq, body, prev_hash, hash }) => ({ seq: Number(seq), body, prev_hash, hash }));
  };

  const all = async (rows: AsyncIterable<AuditRow>): Promise<AuditRow[]> => {
    const found: AuditRow[] = [];
    for await (const row of rows) found.push(row);
    return found;
  };

  const idsIn = (rows: readonly AuditRow[]): string[] => rows.map(({ body }) => JSON.parse(body).id);

  /** What was written in one go may take more than one question's patience to be found. */
  const upToDate = async (calls: HubCallIndex): Promise<void> => {
    const wanted = { filter: {}, scope: null, before: null, limit: 1, patienceMs: 0 };
    while ((await calls.search(wanted)).behind > 0) await Bun.sleep(1);
  };

  /** A hub alone in its directory, with so many records over two months. */
  const hub = async (place: Place, name: string, records: number, offset: number): Promise<SqliteStore> => {
    const store = await place.open();
    for (let n = 0; n < records; n++)
      await store.audit.append(
        someRecord({ id: `${name}-${n}`, call: `call-${name}-${n}`, at: START + n * DAY + offset }),
      );
    await store.audit.flush();
    return store;
  };

  test("a log is shipped as it is, by however many, and verifies from what was shipped", async () => {
    verifies("postgres.records");
    await using db = await database();
    await using place = new Place();
    const store = await hub(place, "a", 6, 0);
    const source = mainOf(store);
    const shippers = [1, 2, 3].map(() => new RecordShipper({ pool: db.pool, source, node: "hub-a", now: Date.now }));
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 150; n++) await store.audit.append(someRecord({ at: START + 6 * DAY + n }));
      await Promise.all(
        shippers.map((one) =>
          one.ship().catch((error: unknown) => {
            if (!(error instanceof Moved)) throw error;
          }),
        ),
      );
    }
    await store.audit.flush();
    for (const one of shippers) while (await one.ship()) await Bun.sleep(1);
    expect(shippers.map((one) => one.lag().records)).toEqual([0, 0, 0]);
    const local = (await all(store.audit.read({}))).map(({ seq, body, prev_hash, hash }) => ({
      seq,
      body,
      prev_hash,
      hash,
    }));
    expect(local).toHaveLength(606);
    expect(await rowsOf(db.pool, "hub-a")).toEqual(local);
    const { report, faults } = await verifyShipped(db.pool, "hub-a");
    expect(faults).toEqual([]);
    expect(report).toMatchObject({ node: "hub-a", ok: true, records: 606, first_seq: 1, last_seq: 606 });
    expect(report.checkpoints).toBe((await store.audit.verify()).checkpoints);
    const months = await db.pool.plain((sql) => sql.unsafe("SELECT DISTINCT month FROM record ORDER BY month"));
    expect(months.map((one: unknown) => Object(one).month)).toEqual(["2026-10", "2026-11"]);
  });

  test("what is changed, removed or cut off in the database is found", async () => {
    verifies("postgres.records");
    await using db = await database();
    await using place = new Place();
    const store = await hub(place, "a", 8, 0);
    await new RecordShipper({ pool: db.pool, source: mainOf(store), node: "hub-a", now: Date.now }).ship();
    const problems = async (change: string): Promise<string[]> => {
      await db.pool.plain((sql) => sql.unsafe(change));
      const { report, faults } = await verifyShipped(db.pool, "hub-a");
      expect(report.ok).toBe(faults.length === 0);
      return faults.map(({ node, seq, problem }) => `${node} ${seq}: ${problem}`);
    };
    expect(await problems("SELECT 1")).toEqual([]);
    expect(await problems("UPDATE record_checkpoint SET at = at + 1 WHERE seq = 1")).toContain(
      "hub-a 1: the checkpoint has a wrong signature",
    );
    expect(await problems("UPDATE record_checkpoint SET at = at - 1 WHERE seq = 1")).toEqual([]);
    expect(await problems(`UPDATE record SET body = replace(body, '"v":1', '"v":2') WHERE seq = 3`)).toEqual([
      "hub-a 3: the record's hash is wrong",
    ]);
    expect(await problems("DELETE FROM record WHERE seq = 3")).toEqual([
      "hub-a 4: the record is not linked to the one before it",
    ]);
    expect(await problems("DELETE FROM record WHERE seq = 8")).toContain(
      "hub-a 7: the log ends at 7, and 8 records were shipped",
    );
  });

  test("an older copy of a directory that is put back, and another log under the same name, ship nothing", async () => {
    verifies("postgres.records");
    await using db = await database();
    await using place = new Place();
    await using other = new Place();
    const store = await hub(place, "a", 5, 0);
    const ship = (from: SqliteStore) =>
      new RecordShipper({ pool: db.pool, source: mainOf(from), node: "hub-a", now: Date.now }).ship();
    await ship(store);
    const stranger = await hub(other, "b", 9, 0);
    await expect(ship(stranger)).rejects.toThrow("another log");
    await db.pool.plain((sql) => sql.unsafe("UPDATE record_log SET seq = seq + 1"));
    await expect(ship(store)).rejects.toThrow("an older copy");
  });

  test("every reader of a hub sees its own records and those of all others as one", async () => {
    verifies("postgres.records");
    await using db = await database();
    const places = [new Place(), new Place(), new Place()];
    const stores = await Promise.all(places.map((place, n) => hub(place, `${n}`, 30, n)));
    for (const [n, store] of stores.entries()) {
      const { sources, signer } = store;
      const governance = new Governance(db.pool, signer, Date.now);
      const nameOf = () => `hub-${n}`;
      const isLeft = async () => false;
      const needs = { pool: db.pool, governance, signer, sources, own: null, isLeft, nameOf, now: Date.now };
      const shipping = new LogShipping(needs);
      expect(shipping.lag()).toMatchObject({ records: 30, since: START + n });
      await shipping.run();
      expect(shipping.lag()).toEqual({ records: 0, since: null });
      expect(shipping.names()).toEqual([`hub-${n}`]);
    }
    const wanted = Array.from({ length: 30 }, (_, n) => [0, 1, 2].map((name) => `${name}-${n}`)).flat();
    for (const [n, store] of stores.entries()) {
      const shipped = new ShippedRecords(db.pool, () => [`hub-${n}`]);
      const others = wanted.filter((id) => !id.startsWith(`${n}-`));
      expect(idsIn(await all(shipped.read({})))).toEqual(others);
      expect(idsIn(await shipped.tail(3))).toEqual(others.toReversed().slice(0, 3));
      expect(idsIn(await all(shipped.read({ since: START + DAY, until: START + 2 * DAY })))).toEqual(
        others.filter((id) => id.endsWith("-1")),
      );
      const changes = new Governance(db.pool, store.signer, Date.now);
      const log = new SharedAuditLog({ own: store.audit, changes, shipped, nameOf: () => `hub-${n}`, sync: null });
      expect(idsIn(await all(log.read({})))).toEqual(wanted);
      expect(idsIn(await log.tail(8))).toEqual(wanted.toReversed().slice(0, 8));
      const names = [0, 1, 2].filter((name) => name !== n).map((name) => `hub-${name}`);
      const report = await log.verify();
      expect(report).toMatchObject({ ok: true, records: 90, faults: [], last_seq: 30 });
      expect(report.nodes?.map(({ node, ok, records }) => [node, ok, records])).toEqual(
        names.map((name) => [name, true, 30]),
      );
      expect((await log.state()).nodes?.map(({ node, head }) => [node, head?.seq])).toEqual(
        names.map((name) => [name, 30]),
      );
      const noted = (await shipped.tail(1))[0];
      if (noted?.node === undefined) throw new Error("no record");
      expect(await log.verify({ node: noted.node, seq: noted.seq, hash: noted.hash })).toMatchObject({ ok: true });
      expect(await log.verify({ node: noted.node, seq: 1, hash: noted.hash })).toMatchObject({ ok: false });
      const calls = new HubCallIndex(store.calls, shipped);
      const found: string[] = [];
      await upToDate(calls);
      for (let before: string | null = null; ; ) {
        const page: FoundCalls = await calls.search({ filter: {}, scope: null, before, limit: 7, patienceMs: 60_000 });
        found.push(...idsIn(page.rows));
        if (page.next === null) break;
        before = page.next;
      }
      expect(found).toEqual(wanted.toReversed());
      const one = await calls.byCall("call-1-3");
      expect(one === null ? null : JSON.parse(one.body).id).toBe("1-3");
      expect(one?.node).toBe(n === 1 ? undefined : "hub-1");
      expect(await calls.byCall("call-9-9")).toBeNull();
    }
    for (const place of places) await place[Symbol.asyncDispose]();
  });

  test("calls of all hubs are put in one order, filtered, added up and told by value, whichever hub is asked", async () => {
    verifies("calls.ordered", "calls.totals", "calls.found");
    await using db = await database();
    const places = [new Place(), new Place()];
    const records = Array.from({ length: 60 }, (_, n) => {
      const facts = {
        status: n % 5 === 0 ? 503 : 200,
        model: `model-${n % 3}`,
        usage: { prompt_tokens: (n * 7) % 23, completion_tokens: 0, total_tokens: (n * 7) % 23 },
        cost_usd: ((n * 7) % 23) / 1_000,
        cost_basis: "usage" as const,
        conversation_id: n === 31 ? "rare" : null,
      };
      return callRecord({ id: `record-${n}`, call_id: `call-${n}`, at: START + n * 60_000, facts });
    });
    const stores = await Promise.all(places.map((place) => place.open()));
    for (const [n, store] of stores.entries()) {
      for (const [m, record] of records.entries()) if (m % 2 === n) await store.audit.append(JSON.stringify(record));
      await store.audit.flush();
      const shipper = new RecordShipper({ pool: db.pool, source: mainOf(store), node: `hub-${n}`, now: Date.now });
      await shipper.ship();
    }
    const tokensOf = ({ call }: AuditRecord) => call?.usage?.total_tokens ?? 0;
    const dearest = records
      .toSorted((one, other) => tokensOf(other) - tokensOf(one) || Date.parse(other.at) - Date.parse(one.at))
      .map(({ id }) => id);
    const patient = { scope: null, patienceMs: 60_000 } as const;
    for (const [n, store] of stores.entries()) {
      const calls = new HubCallIndex(store.calls, new ShippedRecords(db.pool, () => [`hub-${n}`]));
      await upToDate(calls);
      const listed = async (filter: CallFilter, order: CallOrder): Promise<string[]> => {
        const ids: string[] = [];
        for (let before: string | null = null; ; ) {
          const page: FoundCalls = await calls.search({ ...patient, filter, order, before, limit: 7 });
          ids.push(...idsIn(page.rows));
          if (page.next === null) return ids;
          before = page.next;
        }
      };
      expect(await listed({}, { by: "cost", isAscending: false })).toEqual(dearest);
      expect(await listed({}, { by: "at", isAscending: true })).toEqual(records.map(({ id }) => id));
      expect(await listed({ conversation_id: "rare" }, { by: "tokens", isAscending: true })).toEqual(["record-31"]);
      const broken = records.filter(({ call }) => call?.status === 503);
      const filter = { status: { min: 500 }, category: "call" as const };
      const { sum } = await calls.sums({ ...patient, filter });
      const tokens = broken.reduce((all, one) => all + tokensOf(one), 0);
      expect(sum).toMatchObject({ calls: broken.length, tokens, cost: tokens * 1_000_000 });
      const { values } = await calls.values({ ...patient, filter: {}, by: "model", order: "calls", most: 10 });
      expect(values.map(({ value, sum: { calls: count } }) => [value, count])).toEqual([
        ["model-0", 20],
        ["model-1", 20],
        ["model-2", 20],
      ]);
    }
    for (const place of places) await place[Symbol.asyncDispose]();
  });

  test("nothing is lost and nothing comes twice over processes that are killed and a database that crashes", async () => {
    verifies("postgres.records");
    await using db = await database();
    await using place = new Place();
    for (let round = 0; round < 4; round++) {
      const child = Bun.spawn([process.execPath, CHILD, place.path, "7", db.url, String(round)], {
        stdout: "pipe",
        stderr: "ignore",
      });
      const reader = child.stdout.getReader();
      await reader.read();
      if (round === 2) await db.restart();
      child.kill("SIGKILL");
      await child.exited;
    }
    const store = await place.open();
    const log = store.sources().find(({ node }) => node === "7");
    if (log === undefined) throw new Error("no log");
    const shipper = new RecordShipper({ pool: db.pool, source: log.source, node: "7", now: Date.now });
    await shipper.ship();
    const local = (await all(store.audit.read({}))).map(({ seq, body, prev_hash, hash }) => ({
      seq,
      body,
      prev_hash,
      hash,
    }));
    expect(local.length).toBeGreaterThan(1_600);
    expect(await rowsOf(db.pool, "7")).toEqual(local);
    expect(await verifyShipped(db.pool, "7")).toMatchObject({
      report: { ok: true, records: local.length },
      faults: [],
    });
  });
});
