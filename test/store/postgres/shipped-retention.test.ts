import { expect, test } from "bun:test";
import { Pool } from "#store/postgres/pool";
import type { AuditRow } from "#store/record";
import { migratedDatabases } from "#test/store/postgres/databases";
import { dropRecord, removeRecord, StoringHub } from "#test/store/postgres/hubs";
import { someRecord } from "#test/store/records";
import { onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

const SEPTEMBER = Date.UTC(2026, 8, 1);
const OCTOBER = Date.UTC(2026, 9, 1);
const NOVEMBER = Date.UTC(2026, 10, 1);
const DAY = 86_400_000;
/** Records of a hub in each month. */
const EACH = 300;

onPostgres("retention of shipped records", () => {
  const databases = migratedDatabases();

  /** Hubs of which nothing was shipped, with a clock that the test moves. */
  const world = async (count: number) => {
    const made = await databases();
    const url = made.cluster.url(await made.make());
    const pool = new Pool({ url, most: 3 });
    const clock = { at: NOVEMBER + 20 * DAY };
    const hubs: StoringHub[] = [];
    for (let n = 0; n < count; n++)
      hubs.push(await StoringHub.open({ databases: made, url, name: `hub-${n}`, now: () => clock.at }));
    const [one] = hubs;
    if (one === undefined) throw new Error("One hub at least");
    const asked = async <T>(text: string): Promise<T[]> => [...(await pool.plain((sql) => sql.unsafe<T[]>(text)))];
    const tables = async (): Promise<string[]> => {
      const rows = await asked<{ name: string }>(
        "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ 'record_\\d{4}' ORDER BY relname",
      );
      return rows.map(({ name }) => name);
    };
    /** Each hub ships, and one names all. */
    const shipped = async (): Promise<void> => {
      clock.at += 15_000;
      for (const hub of hubs) await hub.ship();
      await one.bind();
    };
    const drop = (before: number) => one.shipping.dropBefore(before, dropRecord);
    const disposed = async (): Promise<void> => {
      for (const hub of hubs) await hub[Symbol.asyncDispose]();
      await pool.close();
    };
    return { one, hubs, pool, clock, asked, tables, shipped, drop, [Symbol.asyncDispose]: disposed };
  };

  const all = async (rows: AsyncIterable<AuditRow>): Promise<AuditRow[]> => {
    const found: AuditRow[] = [];
    for await (const row of rows) found.push(row);
    return found;
  };

  test("takes whole months with all that belongs to them, on record, and what is left verifies", async () => {
    verifies("postgres.retention");
    await using it = await world(3);
    for (const hub of it.hubs) for (const at of [SEPTEMBER, OCTOBER, NOVEMBER]) await hub.record(EACH, at + DAY);
    for (const hub of it.hubs) while ((await hub.store.calls.search(EVERYTHING)).behind > 0) await Bun.sleep(1);
    await it.shipped();
    const counted = "SELECT count(*) AS n FROM record_traffic WHERE at < ";
    expect(await it.asked(`${counted} ${OCTOBER - DAY}`)).not.toEqual([{ n: "0" }]);
    expect(await it.tables()).toEqual(["record_2026_09", "record_2026_10", "record_2026_11"]);
    expect(await it.drop(OCTOBER - 1)).toEqual({ dropped: [], waitsFor: null });
    const { dropped, waitsFor } = await it.drop(NOVEMBER);
    expect([dropped.map(({ month }) => month), waitsFor]).toEqual([["2026-09", "2026-10"], null]);
    expect(Object.entries(dropped[1]?.logs ?? {}).map(([node, { seq }]) => [node, seq])).toEqual(
      it.hubs.map(({ name }) => [name, 2 * EACH]),
    );
    expect(await it.tables()).toEqual(["record_2026_11"]);
    expect(await it.asked("SELECT min(seq) AS seq FROM record_checkpoint")).not.toEqual([{ seq: "1" }]);
    expect(await it.asked(`${counted} ${OCTOBER - DAY}`)).toEqual([{ n: "0" }]);
    for (const hub of it.hubs) {
      expect(await hub.problems()).toEqual([]);
      // What the hub has in its own directory stays as long as its own retention says.
      expect(await all(hub.log.read({ until: NOVEMBER }))).toHaveLength(2 * EACH);
      expect(await all(hub.shipped.read({}))).toHaveLength(2 * EACH);
    }
    const kinds = (await it.one.governance.tail(2)).map(({ body }) => JSON.parse(body).kind);
    expect(kinds).toEqual(["audit.drop", "audit.drop"]);
    // The rest goes on.
    for (const hub of it.hubs) await hub.record(5, NOVEMBER + 10 * DAY);
    await it.shipped();
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    // Nobody may say that more was dropped than is on record, or less.
    await it.asked("UPDATE record_log SET dropped_seq = 0 WHERE node = 'hub-1'");
    expect((await it.one.problems()).join()).toContain(
      "hub-1 0: the log does not begin where the chain of changes says",
    );
    await it.asked(`DELETE FROM record WHERE node = 'hub-1' AND seq <= ${3 * EACH + 1}`);
    await it.asked(`UPDATE record_log SET dropped_seq = ${3 * EACH + 1},
      dropped_hash = (SELECT prev_hash FROM record WHERE node = 'hub-1' AND seq = ${3 * EACH + 2}) WHERE node = 'hub-1'`);
    expect((await it.one.problems()).join()).toContain("the log does not begin where the chain of changes says");
  });

  test("never takes what a hub has still to ship, unless its node was removed", async () => {
    verifies("postgres.retention");
    await using it = await world(2);
    const [, late] = it.hubs;
    if (late === undefined) throw new Error("no hub");
    it.clock.at = SEPTEMBER + 15 * DAY;
    for (const hub of it.hubs) await hub.record(4, SEPTEMBER + DAY);
    await it.shipped();
    await late.record(3, SEPTEMBER + 20 * DAY);
    it.clock.at = NOVEMBER + 20 * DAY;
    await it.one.record(4, NOVEMBER + DAY);
    await it.one.ship();
    expect(await it.drop(OCTOBER)).toEqual({ dropped: [], waitsFor: "hub-1" });
    await late.ship();
    const { dropped } = await it.drop(OCTOBER);
    expect(dropped).toEqual([
      {
        month: "2026-09",
        logs: { "hub-0": expect.objectContaining({ seq: 4 }), "hub-1": expect.objectContaining({ seq: 7 }) },
      },
    ]);
    await it.one.bind();
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    // What it writes of that month all the same, its clock set back, is shipped and goes with the next.
    await late.record(2, SEPTEMBER + 21 * DAY);
    await late.ship().catch(() => "the month's table is gone");
    await it.shipped();
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    expect((await it.drop(OCTOBER)).dropped.map(({ month }) => month)).toEqual(["2026-09"]);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    await late.record(2, OCTOBER + DAY);
    await it.shipped();
    await it.asked("UPDATE record_log SET caught_up_at = 0");
    expect(await it.drop(NOVEMBER)).toEqual({ dropped: [], waitsFor: "hub-1" });
    const logs = await it.one.log.closing("hub-1");
    await it.asked("INSERT INTO node VALUES ('hub-1', 1, 'ended', 1, 1, 1, 'test', NULL)");
    await it.one.common.nodes.remove("hub-1", removeRecord({ logs }));
    expect((await it.drop(NOVEMBER)).dropped.map(({ month }) => month)).toEqual(["2026-10"]);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
  });

  test("takes a month whole or not at all, and goes on with what an earlier process left", async () => {
    verifies("postgres.retention");
    await using it = await world(2);
    for (const hub of it.hubs) for (const at of [SEPTEMBER, NOVEMBER]) await hub.record(3, at + DAY);
    await it.shipped();
    const failing = it.one.shipping.dropBefore(OCTOBER, () => {
      throw new Error("the process ends");
    });
    await expect(failing).rejects.toThrow("the process ends");
    expect(await it.tables()).toEqual(["record_2026_09", "record_2026_11"]);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    await it.asked("CREATE TABLE dropped_record_2026_08_77 (LIKE record)");
    expect((await it.drop(OCTOBER)).dropped).toHaveLength(1);
    expect(await it.tables()).toEqual(["record_2026_11"]);
    // Two at once: one of them does it.
    for (const hub of it.hubs) await hub.record(3, NOVEMBER + 40 * DAY);
    await it.shipped();
    const december = Date.UTC(2026, 11, 1);
    const both = await Promise.allSettled(it.hubs.map((hub) => hub.shipping.dropBefore(december, dropRecord)));
    const taken = both.flatMap((one) => (one.status === "fulfilled" ? one.value.dropped : []));
    expect(taken.map(({ month }) => month)).toEqual(["2026-11"]);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
  });

  test("holds up nobody who ships, however long somebody reads, and nobody who verifies", async () => {
    verifies("postgres.retention");
    await using it = await world(2);
    for (const hub of it.hubs) for (const at of [SEPTEMBER, NOVEMBER]) await hub.record(700, at + DAY);
    await it.shipped();
    const reading = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const reader = it.pool.transaction("", async ({ sql }) => {
      await sql.unsafe("SELECT count(*) FROM record");
      begun.resolve();
      await reading.promise;
    });
    await begun.promise;
    const dropping = it.drop(OCTOBER);
    for (let round = 0; round < 10; round++) {
      await it.hubs[1]?.store.audit.append(someRecord({ at: NOVEMBER + 2 * DAY + round }));
      it.clock.at += 3_000;
      // It would wait for the reader, who waits for it.
      await it.hubs[1]?.ship();
      await Bun.sleep(50);
    }
    expect(await it.tables()).toContain("record_2026_09");
    reading.resolve();
    await reader;
    expect((await dropping).dropped).toHaveLength(1);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    // While one verifies, months go.
    for (const hub of it.hubs) await hub.record(700, NOVEMBER + 40 * DAY);
    await it.shipped();
    let isFirst = true;
    const { ok, faults } = await it.one.log.verifySlowly(async (records) => {
      if (records < 1_500 || !isFirst) return;
      isFirst = false;
      await it.drop(Date.UTC(2026, 11, 1));
    });
    expect([ok, faults, isFirst]).toEqual([true, [], false]);
  });
});

const EVERYTHING = { filter: {}, scope: null, before: null, limit: 1, patienceMs: 0 };
