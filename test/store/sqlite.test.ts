import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, getTableName } from "drizzle-orm";
import type { Store } from "#store/port";
import { tables } from "#store/sqlite/schema";
import { alertContract, figuresContract } from "#test/store/alert-contract";
import { callStoreContract } from "#test/store/call-store-contract";
import { auditContract, type Lend, storeContract } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { exactContract } from "#test/store/exact-contract";
import { governanceContract } from "#test/store/governance-contract";
import { hookSourceContract } from "#test/store/hook-source-contract";
import { loopContract } from "#test/store/loop-contract";
import { loopWorkContract } from "#test/store/loop-work-contract";
import { nodeContract } from "#test/store/node-contract";
import { lendSqliteProcesses } from "#test/store/processes";
import { proposalContract } from "#test/store/proposal-contract";
import { signInContract } from "#test/store/sign-in-contract";
import { tokenContract } from "#test/store/token-contract";
import { toolContract } from "#test/store/tool-contract";
import { triageContract } from "#test/store/triage-contract";

for (const writer of ["inline", "worker"] as const) {
  const lend: Lend<Store> = async (use) => {
    await using place = new Place();
    await use(await place.open({ writer }));
  };
  storeContract(`sqlite, ${writer}`, lend);
  auditContract(`sqlite, ${writer}`, lend);
  // What is appended alone goes through the writer; changes do not, whichever it is.
  if (writer === "inline") {
    tokenContract("sqlite", lend);
    toolContract("sqlite", lend);
    hookSourceContract("sqlite", lend);
    proposalContract("sqlite", lend);
    signInContract("sqlite", lend);
    governanceContract("sqlite", lend);
    callStoreContract("sqlite", lend);
    loopContract("sqlite", lend);
    loopWorkContract("sqlite", lend);
    alertContract("sqlite", lend);
    triageContract("sqlite", lend);
  }
}

nodeContract("sqlite", lendSqliteProcesses);
figuresContract("sqlite", lendSqliteProcesses);
exactContract("sqlite", [0, 0, 0], async (use) => {
  await using place = new Place();
  await use(place.path, await place.open());
});

test("the tables the code speaks of are the tables of the database", async () => {
  await using place = new Place();
  await place.open();
  const db = new Database(place.database, { readonly: true });
  for (const table of Object.values(tables)) {
    const columns = Object.values(getTableColumns(table)).map((column) => [
      column.name,
      column.notNull || column.primary,
    ]);
    type Info = { name: string; notnull: number; pk: number };
    const found = db.query<Info, []>(`PRAGMA table_info("${getTableName(table)}")`).all();
    expect(columns.sort()).toEqual(found.map((column) => [column.name, column.notnull === 1 || column.pk > 0]).sort());
  }
  db.close();
});

test("nothing is readable by others", async () => {
  await using place = new Place();
  const dataDir = join(place.path, "data");
  const store = await place.open({ dataDir, writer: "worker" });
  await store.audit.flush();
  const mode = (name: string) => statSync(join(dataDir, name)).mode & 0o777;
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const name of ["guardhouse.db", "guardhouse.db-wal", "guardhouse.db-shm", "audit-key.pem"]) {
    expect([name, mode(name)]).toEqual([name, 0o600]);
  }
});

test("a process that fell silent is not waited for", async () => {
  await using place = new Place();
  let now = 1_000_000;
  const store = await place.open({ now: () => now });
  await store.changes.acknowledge("dead", 1);
  now += 31_000;
  await store.changes.acknowledge("alive", 9);
  expect(await store.changes.acknowledged()).toBe(9);
});

test("two processes' stores see each other's changes and share one chain", async () => {
  await using place = new Place();
  const [serving, command] = [await place.open({ writer: "worker" }), await place.open()];
  const { someRecord } = await import("#test/store/records");
  await serving.audit.append(someRecord());
  const ann = { id: "u1", email: "a@b.c", name: null, role: "admin", state: "active", created_at: 1 } as const;
  expect(await command.users.create(ann, null, someRecord())).toBe(true);
  await serving.audit.append(someRecord());
  expect(await serving.changes.changesSince(0)).toMatchObject({ revision: 1, users: [ann] });
  expect(await command.audit.verify()).toMatchObject({ ok: true, records: 3 });
});
