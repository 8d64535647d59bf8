import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { Pool } from "#store/postgres/pool";
import { ANN } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { migratedDatabases } from "#test/store/postgres/databases";
import { removeRecord, StoringHub } from "#test/store/postgres/hubs";
import { someRecord } from "#test/store/records";
import { onPostgres } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

const START = Date.UTC(2026, 10, 3);
const TABLES = ["record", "record_log", "record_checkpoint", "record_open"];

onPostgres("the chain of changes names the logs of all hubs", () => {
  const databases = migratedDatabases();

  /** Hubs `hub-0`, `hub-1`, …, with some records each. */
  const world = async (count: number) => {
    const made = await databases();
    const url = made.cluster.url(await made.make());
    const pool = new Pool({ url, most: 2 });
    const open = (name: string, place?: Place) => StoringHub.open({ databases: made, url, name }, place);
    const hubs: StoringHub[] = [];
    for (let n = 0; n < count; n++) {
      const hub = await open(`hub-${n}`);
      await hub.record(8 + n, START + n);
      hubs.push(hub);
    }
    const bound = async (): Promise<void> => {
      for (const hub of hubs) await hub.ship();
      await hubs[0]?.bind();
      for (const hub of hubs) await hub.anchor();
    };
    const change = async (text: string): Promise<void> => {
      await pool.plain((sql) => sql.unsafe(text).simple());
    };
    const [one, other] = hubs;
    if (one === undefined || other === undefined) throw new Error("Two hubs at least");
    const disposed = async (): Promise<void> => {
      for (const hub of hubs) await hub[Symbol.asyncDispose]();
      await pool.close();
    };
    return { one, other, hubs, pool, open, bound, change, [Symbol.asyncDispose]: disposed };
  };

  /** Log `from` ends with record `seq`, as if it had never gone on: all that is said beside it is as it was then. */
  const cut = (node: string, seq: number): string => `
    DELETE FROM record WHERE node = '${node}' AND seq > ${seq};
    DELETE FROM record_checkpoint WHERE node = '${node}' AND seq > ${seq};
    UPDATE record_log SET seq = ${seq}, hash = (SELECT hash FROM record WHERE node = '${node}' AND seq = ${seq}),
      checkpoint_seq = (SELECT coalesce(max(seq), 0) FROM record_checkpoint WHERE node = '${node}'),
      signed_head = NULL WHERE node = '${node}';`;

  test("logs that nobody changed verify, at every hub, and nothing is written while nothing happens", async () => {
    verifies("postgres.anchors");
    await using it = await world(3);
    for (let round = 0; round < 4; round++) await it.bound();
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    const { records, checkpoints } = await it.one.governance.verify();
    expect(checkpoints).toBe(records);
    for (let round = 0; round < 3; round++) await it.bound();
    expect((await it.one.governance.verify()).records).toBe(records);
    await it.one.common.users.create(ANN, null, someRecord());
    for (let round = 0; round < 6; round++) await it.bound();
    const since = (await it.one.governance.verify()).records;
    // The change, what signs it, and what names the notes that the hubs have made of it.
    expect(since).toBeLessThanOrEqual(records + 4);
    for (let round = 0; round < 3; round++) await it.bound();
    expect((await it.one.governance.verify()).records).toBe(since);
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
  });

  test("an end that is cut off a shipped log is found", async () => {
    verifies("postgres.anchors");
    await using it = await world(2);
    await it.bound();
    await it.change(cut("hub-1", 5));
    for (const hub of it.hubs)
      expect(await hub.problems()).toContain("hub-1 9: record 9, which the chain of changes names, is missing");
  });

  test("a log that is removed as a whole is found", async () => {
    verifies("postgres.anchors");
    await using it = await world(2);
    await it.bound();
    await it.change(TABLES.map((table) => `DELETE FROM ${table} WHERE node = 'hub-1';`).join("\n"));
    for (const hub of it.hubs)
      expect(await hub.problems()).toContain("hub-1 9: the log is missing, which the chain of changes names");
  });

  test("two logs that are exchanged are found", async () => {
    verifies("postgres.anchors");
    await using it = await world(3);
    await it.bound();
    const exchange = TABLES.map(
      (table) => `UPDATE ${table} SET node = 'between' WHERE node = 'hub-1';
        UPDATE ${table} SET node = 'hub-1' WHERE node = 'hub-2'; UPDATE ${table} SET node = 'hub-2' WHERE node = 'between';`,
    );
    await it.change(exchange.join("\n"));
    for (const hub of it.hubs) {
      const problems = await hub.problems();
      for (const node of ["hub-1", "hub-2"])
        expect(problems).toContain(`${node} 1: the log is another one than the chain of changes names`);
    }
  });

  test("an older copy of a log that is put back is found, in the database and in a hub's directory", async () => {
    verifies("postgres.anchors");
    await using it = await world(2);
    await using copy = new Place();
    await it.bound();
    await it.change(TABLES.map((table) => `CREATE TABLE old_${table} AS SELECT * FROM ${table};`).join("\n"));
    cpSync(it.other.place.path, copy.path, { recursive: true });
    await it.other.record(5, START + 60_000);
    await it.bound();
    expect(await it.one.problems()).toEqual([]);
    const kept = it.other.name;
    const back = TABLES.map(
      (table) => `DELETE FROM ${table} WHERE node = '${kept}';
        INSERT INTO ${table} SELECT * FROM old_${table} WHERE node = '${kept}'; DROP TABLE old_${table};`,
    );
    await it.change(back.join("\n"));
    const missing = `${kept} 14: record 14, which the chain of changes names, is missing`;
    for (const hub of it.hubs) expect(await hub.problems()).toContain(missing);
    await using older = await it.open(kept, copy);
    const { faults } = await older.log.verify();
    expect(faults).toContainEqual({ seq: 14, problem: "record 14, which the chain of changes names, is missing" });
  });

  test("anchors that are changed, unsigned or cut off are found", async () => {
    verifies("postgres.anchors");
    await using it = await world(2);
    await it.bound();
    await it.one.common.users.create(ANN, null, someRecord());
    await it.bound();
    await it.one.record(3, START + 90_000);
    await it.bound();
    const seqs = await it.pool.plain((sql) =>
      sql.unsafe<{ seq: unknown }[]>(
        `SELECT seq FROM governance_record WHERE body LIKE '%"kind":"audit.anchor"%' ORDER BY seq`,
      ),
    );
    const last = Number(seqs.at(-1)?.seq);
    await it.change("CREATE TABLE old_checkpoint AS SELECT * FROM chain_checkpoint");
    const again = "DELETE FROM chain_checkpoint; INSERT INTO chain_checkpoint SELECT * FROM old_checkpoint";
    await it.change(`DELETE FROM chain_checkpoint WHERE seq = ${last}`);
    expect(await it.one.problems()).toContain(`here ${last}: the checkpoint of this change is missing`);
    expect(await it.one.problems()).toContain(
      `here ${last}: what is signed as the newest checkpoint is missing or changed`,
    );
    await it.change(`${again}; UPDATE chain_checkpoint SET at = at + 1 WHERE seq = ${last}`);
    expect(await it.other.problems()).toContain(`here ${last}: the checkpoint has a wrong signature`);
    await it.change("DELETE FROM chain_checkpoint WHERE seq = (SELECT min(seq) FROM chain_checkpoint)");
    expect(await it.other.problems()).toContain(
      `here ${Number(seqs[1]?.seq)}: the checkpoints before this one are missing`,
    );
    await it.change(again);
    expect(await it.other.problems()).toEqual([]);
    // All of it goes back to before the change that the hubs have noted, as if nothing had been.
    const first = Number(seqs[0]?.seq);
    await it.change(`DELETE FROM governance_record WHERE seq > ${first};
      DELETE FROM chain_checkpoint WHERE seq > ${first}; DELETE FROM chain_head;
      UPDATE chain SET seq = ${first}, hash = (SELECT hash FROM governance_record WHERE seq = ${first})`);
    for (const hub of it.hubs)
      expect(await hub.problems()).toContain(
        `here ${first + 1}: a change is missing, or not the one that this hub noted in its own log`,
      );
  });

  test("a removed hub's log is closed with a signed note, and ends there", async () => {
    verifies("postgres.closed");
    await using it = await world(3);
    await it.bound();
    const gone = it.hubs[2];
    if (gone === undefined) throw new Error("no third hub");
    await gone.record(4, START + 60_000);
    await gone.ship();
    const logs = await it.one.log.closing("hub-2");
    expect(logs).toEqual({ "hub-2": expect.objectContaining({ seq: 14 }) });
    await it.change("INSERT INTO node VALUES ('hub-2', 1, 'ended', 1, 1, 1, 'test', NULL)");
    expect(await it.one.common.nodes.remove("hub-2", removeRecord({ logs }))).toBe("done");
    for (const hub of it.hubs) expect(await hub.problems()).toEqual([]);
    // Nobody has named its last records but the note.
    await it.change("CREATE TABLE old_checkpoint AS SELECT * FROM chain_checkpoint");
    await it.change("DELETE FROM chain_checkpoint WHERE seq = (SELECT max(seq) FROM chain_checkpoint)");
    expect((await it.one.problems()).join()).toContain("the checkpoint of this change is missing");
    await it.change("DELETE FROM chain_checkpoint; INSERT INTO chain_checkpoint SELECT * FROM old_checkpoint");
    await it.change(`CREATE TABLE old AS SELECT * FROM record WHERE node = 'hub-2'; ${cut("hub-2", 12)}`);
    const problems = await it.one.problems();
    expect(problems).toContain("hub-2 14: record 14, which the chain of changes names, is missing");
    expect(problems).toContain("hub-2 12: the log does not end where its node was removed");
    await it.change(`INSERT INTO record SELECT * FROM old WHERE seq > 12;
      UPDATE record_log SET (seq, hash) = (SELECT seq, hash FROM old WHERE seq = 14) WHERE node = 'hub-2'`);
    expect(await it.one.problems()).toEqual([]);
    // Its directory is there again: it goes on, and is named again.
    await gone.record(2, START + 120_000);
    await gone.ship();
    await gone.ship();
    await it.one.bind();
    expect(await it.other.problems()).toEqual([]);
    await it.change(cut("hub-2", 14));
    expect((await it.one.problems()).join()).toContain(
      "hub-2 16: record 16, which the chain of changes names, is missing",
    );
  });
});
