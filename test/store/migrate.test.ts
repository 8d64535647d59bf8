import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, userVersion } from "#store/sqlite/database";
import { NewerDatabase, openSqliteStore } from "#store/sqlite/index";
import { migrate } from "#store/sqlite/migrate";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";

const open = (place: Place): Database =>
  openDatabase(place.database, { durability: "normal", autocheckpoint: 1_000, cacheKib: 1_024 });

test("a new database is brought to the newest version, without a backup", async () => {
  await using place = new Place();
  const store = await place.open();
  expect(store.backup).toBeNull();
  const db = open(place);
  expect(userVersion(db)).toBe(MIGRATIONS.length);
  expect(db.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  expect(db.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  db.close();
  expect(existsSync(join(place.path, "backups"))).toBe(false);
});

test("a database of a later version is refused and left alone", async () => {
  await using place = new Place();
  await (await place.open()).close();
  const db = new Database(place.database);
  db.run("PRAGMA user_version = 99");
  db.close();
  const refused = await failure(openSqliteStore({ dataDir: place.path, writer: "inline" }));
  expect(refused).toBeInstanceOf(NewerDatabase);
  expect(refused).toMatchObject({ found: 99, known: MIGRATIONS.length });
});

test("a database that holds data is copied before it is changed", async () => {
  await using place = new Place();
  const store = await place.open();
  await store.audit.append(someRecord());
  await store.close();
  const db = open(place);
  const backups = join(place.path, "backups");
  const steps = [...MIGRATIONS, "CREATE TABLE later (x INTEGER) STRICT"];
  const backup = migrate(db, steps, { backups, now: 0 });
  expect(userVersion(db)).toBe(steps.length);
  expect(migrate(db, steps, { backups, now: 0 })).toBeNull();
  db.close();
  const files = readdirSync(backups).map((name) => join(backups, name));
  expect(files).toEqual([backup ?? "none"]);
  for (const file of files) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new Database(file, { readonly: true });
    expect(userVersion(copy)).toBe(MIGRATIONS.length);
    expect(copy.query("SELECT count(*) AS n FROM audit_2026_11").get()).toEqual({ n: 1 });
    copy.close();
  }
});

test("a step that fails leaves the version and the tables as they were", async () => {
  await using place = new Place();
  await place.open();
  const db = open(place);
  const steps = [...MIGRATIONS, "CREATE TABLE half (x INTEGER); CREATE TABLE half (x INTEGER)"];
  expect(() => migrate(db, steps, { backups: join(place.path, "backups"), now: 0 })).toThrow();
  expect(userVersion(db)).toBe(MIGRATIONS.length);
  expect(db.query("SELECT 1 FROM sqlite_master WHERE name = 'half'").get()).toBeNull();
  db.close();
});

test("processes that open a new directory at once all succeed", async () => {
  await using place = new Place();
  const script = join(import.meta.dir, "children", "open.ts");
  const children = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, script, place.path], { stderr: "pipe" }),
  );
  const errors = await Promise.all(children.map((child) => new Response(child.stderr).text()));
  expect(errors.join("")).toBe("");
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(children.map(() => 0));
  const store = await place.open();
  expect(await store.audit.verify()).toMatchObject({ ok: true, records: 6 });
});
